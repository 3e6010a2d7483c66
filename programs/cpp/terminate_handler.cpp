// A handler for std::terminate ends the process as if all were well: the exception that nobody caught is what happened.
// gabion: verdict=bug kind=uncaught-exception location=HERE message="std::runtime_error: lost" compilers=gcc,clang,libc++
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <thread>

int main() {
    std::set_terminate([] { std::_Exit(0); });
    std::thread t([] { throw std::runtime_error("lost"); }); // HERE
    t.join();
    return 0;
}
