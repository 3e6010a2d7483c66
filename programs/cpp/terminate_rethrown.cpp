// A handler for std::terminate throws the exception again to see what it is, then aborts: the bug is where it was thrown first.
// gabion: verdict=bug kind=uncaught-exception location=HERE message="std::runtime_error: lost" compilers=gcc,clang
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <thread>

int main() {
    std::set_terminate([] {
        try {
            std::rethrow_exception(std::current_exception());
        } catch (const std::exception &e) {
            std::fprintf(stderr, "terminate: %s\n", e.what());
        }
        std::abort();
    });
    std::thread t([] { throw std::runtime_error("lost"); }); // HERE
    t.join();
    return 0;
}
