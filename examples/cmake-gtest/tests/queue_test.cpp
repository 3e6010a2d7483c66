#include "queue.hpp"

#include <gtest/gtest.h>
#include <thread>

// Two elements through a queue of one, to two consumers.
template <class Bounded> void two_consumers() {
    Bounded queue(1);
    int first = 0, second = 0;
    std::thread one([&] { first = queue.pop(); });
    std::thread two([&] { second = queue.pop(); });
    queue.push(1);
    queue.push(2);
    one.join();
    two.join();
    EXPECT_EQ(first + second, 3);
    EXPECT_EQ(queue.size(), 0u);
}

TEST(Queue, TwoConsumers) {
    two_consumers<Queue>();
}

TEST(HastyQueue, TwoConsumers) {
    two_consumers<HastyQueue>();
}

TEST(HastyQueue, SizeNeverExceedsCapacity) {
    HastyQueue queue(1);
    std::thread other([&] { queue.try_push(1); });
    queue.try_push(2);
    other.join();
    EXPECT_LE(queue.size(), 1u);
}
