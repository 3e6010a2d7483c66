// Bounded queues of numbers that block: the right one, and one that was written in haste.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>

class Queue {
public:
    explicit Queue(std::size_t capacity) : capacity(capacity) {}
    void push(int element);
    int pop();
    std::size_t size() const;

private:
    const std::size_t capacity;
    mutable std::mutex mutex;
    std::condition_variable not_empty, not_full;
    std::deque<int> elements;
};

class HastyQueue {
public:
    explicit HastyQueue(std::size_t capacity) : capacity(capacity) {}
    void push(int element);
    int pop();
    /// Adds the element unless the queue is full.
    bool try_push(int element);
    std::size_t size() const;

private:
    const std::size_t capacity;
    mutable std::mutex mutex;
    std::condition_variable changed; // both "not empty" and "not full"
    std::deque<int> elements;
};
