// A local that is static is set up once, by whoever comes first.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <thread>

static int make() { return 7; }

static int work() {
    static int table = make();
    return table;
}

int main() {
    std::thread other([] { work(); });
    int value = work();
    other.join();
    return value != 7;
}
