// A lock that one thread makes, with plain stores, and hands to another under a lock: neither a race nor a bug.
// gabion: verdict=verified
// gabion: races=none
#include <cassert>
#include <mutex>
#include <thread>

struct Node {
    std::mutex lock;
    int value = 0;
};

static std::mutex guard;
static Node *published;

int main() {
    std::thread maker([] {
        Node *node = new Node;
        std::lock_guard<std::mutex> held(guard);
        published = node;
    });
    std::thread user([] {
        Node *node;
        {
            std::lock_guard<std::mutex> held(guard);
            node = published;
        }
        if (node) {
            std::lock_guard<std::mutex> held(node->lock);
            node->value++;
        }
    });
    maker.join();
    user.join();
    assert(published->value <= 1);
    delete published;
}
