// The same in C++: an object is deleted by a function that still holds its lock.
// gabion: verdict=bug kind=use-after-free
// gabion: native=no
#include <mutex>
#include <thread>

struct Counter {
    std::mutex lock;
    int uses = 2;
    void leave() {
        std::lock_guard<std::mutex> guard(lock);
        if (--uses == 0) {
            delete this;
        }
    }
};

int main() {
    auto *counter = new Counter;
    std::thread other([=] { counter->leave(); });
    counter->leave();
    other.join();
}
