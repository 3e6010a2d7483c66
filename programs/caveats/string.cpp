// The members of std::string are compiled with the program: what they do to a shared string is seen.
// gabion: verdict=bug kind=race location=HERE
// gabion: args=--races deny
// gabion: compilers=gcc,clang
#include <string>
#include <thread>

static std::string text;

static void work() { text.append("x"); } // HERE

int main() {
    text.reserve(100);
    std::thread thread(work);
    work();
    thread.join();
}
