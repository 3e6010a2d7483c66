// A balance is wrong; how often it was asked for is read later, and is as it should be.
// says: at account.cpp:27 and finds
// says: balance
// never: asked at
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex guard;
static std::atomic<int> asked;
static int balance = 100;

static int get() {
    std::lock_guard<std::mutex> hold(guard);
    return balance;
}

static void withdraw(int much) {
    int rest = get() - much;
    std::lock_guard<std::mutex> hold(guard);
    balance = rest;
    asked.fetch_add(1);
}

static void audit() {
    int rest = balance;
    assert(asked.load() == 2);
    if (rest != 70)
        throw rest;
}

int main() {
    std::thread a(withdraw, 10), b(withdraw, 20);
    a.join();
    b.join();
    audit();
}
