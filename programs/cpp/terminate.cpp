// The program calls std::terminate: the place is its own line, also of what the library prints then.
// gabion: verdict=bug kind=abort location=HERE
// gabion: compilers=gcc,clang
#include <exception>
#include <thread>

static void work() {
    std::terminate(); // HERE
}

int main() {
    std::thread t(work);
    t.join();
}
