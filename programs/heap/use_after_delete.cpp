// delete and a late use, with the lines of the program and not those of the C++ runtime.
// gabion: verdict=bug kind=use-after-free location=HERE allocated=ALLOC freed=FREE
// gabion: compilers=gcc,clang
#include <thread>

struct Node {
    int value;
    Node *next;
};

static Node *node;

int main() {
    node = new Node{1, nullptr}; // ALLOC
    std::thread other([] {
        delete node; // FREE
    });
    int seen = node->value; // HERE
    other.join();
    return seen - 1;
}
