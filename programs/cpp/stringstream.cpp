// Streams of one's own, in two threads, and the standard one that they share.
// gabion: verdict=verified
// gabion: args=--cflags -std=c++20
#include <cassert>
#include <iostream>
#include <sstream>
#include <thread>

static std::string number(int n) {
    std::ostringstream out;
    out << "number " << n << ' ' << 1.5;
    return out.str();
}

int main() {
    std::thread t([] { assert(number(1) == "number 1 1.5"); });
    assert(number(2) == "number 2 1.5");
    t.join();
    std::cout << number(3) << std::endl;
}
