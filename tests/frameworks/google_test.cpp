// Google Test as people use it: assertions in threads, fixtures, failures of every kind. Checked by tests/frameworks.rs.
#include "numbers.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <stdexcept>
#include <thread>

TEST(Counter, Locked) {
    std::mutex mutex;
    int n = 0;
    auto add = [&] {
        std::lock_guard<std::mutex> guard(mutex);
        n++;
    };
    std::thread a(add), b(add);
    a.join();
    b.join();
    EXPECT_EQ(n, 2);
}

TEST(Counter, Lost) {
    std::atomic<int> n{0};
    auto add = [&] { n.store(n.load() + 1); };
    std::thread a(add), b(add);
    a.join();
    b.join();
    EXPECT_EQ(n, 2) << "an update was lost";
}

TEST(Counter, LostAsserted) {
    std::atomic<int> n{0};
    auto add = [&] { n.store(n.load() + 1); };
    std::thread a(add), b(add);
    a.join();
    b.join();
    ASSERT_EQ(n.load(), 2);
}

TEST(InThread, Passes) {
    std::atomic<int> n{0};
    auto add = [&] {
        SCOPED_TRACE("in a thread");
        EXPECT_LE(n++, 1);
    };
    std::thread a(add), b(add);
    a.join();
    b.join();
}

TEST(InThread, Fails) {
    std::atomic<int> n{0};
    auto add = [&] {
        int before = n.load();
        EXPECT_EQ(n++, before);
    };
    std::thread a(add), b(add);
    a.join();
    b.join();
}

class Fixture : public ::testing::Test {
protected:
    void SetUp() override { n = 0; }
    void TearDown() override { EXPECT_EQ(n, 2); }
    std::mutex mutex;
    int n;
};

TEST_F(Fixture, Works) {
    auto add = [&] {
        std::lock_guard<std::mutex> guard(mutex);
        n++;
    };
    std::thread a(add);
    add();
    a.join();
}

TEST_F(Fixture, Throws) {
    std::thread a([&] {
        std::lock_guard<std::mutex> guard(mutex);
        if (++n == 2)
            throw std::runtime_error("the second");
    });
    {
        std::lock_guard<std::mutex> guard(mutex);
        n++;
    }
    a.join();
}

// The library is linked after the framework, which has a std::vector<int> of its own.
TEST(Numbers, TwoAtOnce) {
    Numbers numbers;
    std::thread a([&] { numbers.add(1); });
    numbers.add(2);
    a.join();
    EXPECT_EQ(numbers.count(), 2u);
}

// Thrown in the test itself, where the framework would catch it.
TEST(Body, Throws) {
    std::atomic<int> n{0};
    auto add = [&] { n.store(n.load() + 1); };
    std::thread a(add), b(add);
    a.join();
    b.join();
    if (n != 2)
        throw std::runtime_error("an update was lost");
}

// Expected, and no failure.
TEST(Body, ThrowsAsExpected) {
    std::atomic<int> n{0};
    std::thread a([&] { n++; });
    EXPECT_THROW(throw std::runtime_error("as expected"), std::runtime_error);
    a.join();
}

TEST(Death, IsNotSupported) { EXPECT_DEATH(std::abort(), ""); }
