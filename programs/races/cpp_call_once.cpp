// std::call_once sets something up.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang,libc++
#include <mutex>
#include <thread>

static std::once_flag once;
static int table;

static void work() {
    std::call_once(once, [] { table = 1; });
    if (table != 1)
        __builtin_trap();
}

int main() {
    std::thread other(work);
    work();
    other.join();
    return 0;
}
