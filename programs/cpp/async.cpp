// Values and exceptions come out of tasks.
// gabion: verdict=verified
// gabion: args=--cflags -std=c++20
#include <cassert>
#include <future>
#include <stdexcept>
#include <string>

int main() {
    auto value = std::async(std::launch::async, [] { return 1; });
    auto failure = std::async(std::launch::async, []() -> int { throw std::runtime_error("no value"); });
    assert(value.get() == 1);
    try {
        failure.get();
        assert(false);
    } catch (const std::runtime_error &error) {
        assert(error.what() == std::string("no value"));
    }
}
