// An exception meets a function that lets none through; the report has the place where it was thrown.
// gabion: verdict=bug kind=uncaught-exception location=HERE
// gabion: args=--cflags -std=c++20
#include <stdexcept>
#include <string>
#include <thread>

static void look_up(const std::string &key) {
    throw std::out_of_range("no " + key); // HERE
}
static void work() noexcept { look_up("key"); }

int main() {
    std::thread t(work);
    t.join();
}
