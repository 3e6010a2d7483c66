// The members of std::string are in the library: what they do to a shared string is not seen.
// gabion: verdict=complete
// gabion: compilers=gcc,clang
#include <string>
#include <thread>

static std::string text;

static void work() { text.append("x"); }

int main() {
    text.reserve(100);
    std::thread thread(work);
    work();
    thread.join();
}
