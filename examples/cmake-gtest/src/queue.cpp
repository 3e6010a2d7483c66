#include "queue.hpp"

void Queue::push(int element) {
    std::unique_lock<std::mutex> lock(mutex);
    not_full.wait(lock, [this] { return elements.size() < capacity; });
    elements.push_back(element);
    not_empty.notify_one();
}

int Queue::pop() {
    std::unique_lock<std::mutex> lock(mutex);
    not_empty.wait(lock, [this] { return !elements.empty(); });
    int element = elements.front();
    elements.pop_front();
    not_full.notify_one();
    return element;
}

std::size_t Queue::size() const {
    std::lock_guard<std::mutex> lock(mutex);
    return elements.size();
}

void HastyQueue::push(int element) {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [this] { return elements.size() < capacity; });
    elements.push_back(element);
    changed.notify_one(); // may wake somebody who cannot use it
}

int HastyQueue::pop() {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [this] { return !elements.empty(); });
    int element = elements.front();
    elements.pop_front();
    changed.notify_one();
    return element;
}

bool HastyQueue::try_push(int element) {
    if (size() >= capacity)
        return false;
    std::lock_guard<std::mutex> lock(mutex); // another element may have come in between
    elements.push_back(element);
    changed.notify_one();
    return true;
}

std::size_t HastyQueue::size() const {
    std::lock_guard<std::mutex> lock(mutex);
    return elements.size();
}
