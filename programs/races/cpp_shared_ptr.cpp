// The last of two shared pointers frees.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <memory>
#include <thread>

int main() {
    auto shared = std::make_shared<int>(7);
    std::thread other([copy = shared]() mutable {
        int value = *copy;
        copy.reset();
        if (value != 7)
            __builtin_trap();
    });
    int value = *shared;
    shared.reset();
    other.join();
    return value != 7;
}
