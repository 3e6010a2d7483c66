// The twin writes to the exception that both hold: a data race.
// gabion: verdict=bug kind=race
// gabion: args=--races deny --cflags -std=c++20
// gabion: compilers=gcc,clang
#include <exception>
#include <thread>
#include <utility>

struct Mine {
    int value;
};

static int look(std::exception_ptr held) {
    try {
        std::rethrow_exception(std::move(held));
    } catch (Mine &mine) {
        return mine.value++;
    }
}

int main() {
    std::exception_ptr held = std::make_exception_ptr(Mine{3});
    std::thread t([held] { look(held); });
    look(held);
    t.join();
}
