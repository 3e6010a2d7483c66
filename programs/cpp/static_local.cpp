// A static local is made by one of two threads, and either may be first.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang
#include <cassert>
#include <thread>

struct Made {
    int by;
    explicit Made(int who) : by(who) {}
};

static int get(int who) {
    static Made made(who);
    return made.by;
}

int main() {
    int seen = 0;
    std::thread thread([&] { seen = get(1); });
    int mine = get(2);
    thread.join();
    assert(seen == mine);
    assert(mine != 2);
}
