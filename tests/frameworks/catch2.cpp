// Catch2 as people use it. Checked by tests/frameworks.rs.
#include <atomic>
#include <catch2/catch.hpp>
#include <mutex>
#include <thread>

TEST_CASE("locked") {
    std::mutex mutex;
    int n = 0;
    auto add = [&] {
        std::lock_guard<std::mutex> guard(mutex);
        n++;
    };
    std::thread a(add), b(add);
    a.join();
    b.join();
    REQUIRE(n == 2);
}

TEST_CASE("lost") {
    std::atomic<int> n{0};
    auto add = [&] { n.store(n.load() + 1); };
    std::thread a(add), b(add);
    a.join();
    b.join();
    CHECK(n.load() == 2);
}
