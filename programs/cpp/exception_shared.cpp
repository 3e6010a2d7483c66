// Two threads hold one exception; the last to let go of it destroys it. One holds it by a handler: the count in front of
// the exception orders the handler's reads before the end of it.
// gabion: verdict=verified races=none
// gabion: args=--races deny --cflags -std=c++20
// gabion: compilers=gcc,clang
#include <exception>
#include <thread>
#include <utility>

struct Mine {
    int value;
    ~Mine() { value = 0; }
};

int main() {
    std::exception_ptr held;
    try {
        throw Mine{3};
    } catch (...) {
        held = std::current_exception();
    }
    std::thread t([held]() mutable { held = nullptr; });
    try {
        std::exception_ptr taken = std::move(held);
        std::rethrow_exception(taken);
    } catch (const Mine &mine) {
        if (mine.value != 3)
            return 1;
    }
    t.join();
}
