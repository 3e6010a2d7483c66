// The twin: two tasks on one variable.
// gabion: verdict=bug kind=assertion
// gabion: args=--cflags -std=c++20
#include <cassert>
#include <future>

static int sum;

int main() {
    auto one = std::async(std::launch::async, [] { ++sum; });
    auto two = std::async(std::launch::async, [] { ++sum; });
    one.get();
    two.get();
    assert(sum == 2);
}
