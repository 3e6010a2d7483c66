// Containers, strings, smart pointers and streams, as they are meant to be used.
// gabion: verdict=verified|complete
// gabion: compilers=gcc,clang
#include <cassert>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static std::vector<std::string> words;

static void work(int n) {
    std::map<int, std::unique_ptr<std::string>> mine;
    for (int i = 0; i < 3; i++)
        mine[i] = std::make_unique<std::string>("a string that is too long for its own small buffer " + std::to_string(n));
    std::lock_guard<std::mutex> guard(lock);
    for (auto &word : mine)
        words.push_back(std::move(*word.second));
}

int main() {
    std::thread other(work, 1);
    work(2);
    other.join();
    assert(words.size() == 6);
    auto shared = std::make_shared<int>(3);
    auto also = shared;
    words.clear();
    words.shrink_to_fit();
}
