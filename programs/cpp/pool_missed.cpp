// The twin forgets that the last job may come between its look and its wait.
// gabion: verdict=bug kind=deadlock
// gabion: args=--cflags -std=c++11
// gabion: compilers=gcc,clang,libc++
#include <cassert>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class Pool {
public:
    explicit Pool(int size) {
        for (int i = 0; i < size; i++)
            workers.emplace_back([this] { work(); });
    }
    ~Pool() {
        {
            std::lock_guard<std::mutex> lock(mutex);
            done = true;
        }
        changed.notify_all();
        for (auto &worker : workers)
            worker.join();
    }
    void submit(std::function<void()> job) {
        {
            std::lock_guard<std::mutex> lock(mutex);
            jobs.push(std::move(job));
        }
        changed.notify_one();
    }

private:
    void work() {
        for (;;) {
            std::function<void()> job;
            {
                std::unique_lock<std::mutex> lock(mutex);
                bool nothing = !done && jobs.empty();
                lock.unlock();
                lock.lock();
                if (nothing)
                    changed.wait(lock);
                if (jobs.empty())
                    return;
                job = std::move(jobs.front());
                jobs.pop();
            }
            job();
        }
    }
    std::mutex mutex;
    std::condition_variable changed;
    std::queue<std::function<void()>> jobs;
    bool done = false;
    std::vector<std::thread> workers;
};

int main() {
    int a = 0, b = 0;
    {
        Pool pool(2);
        pool.submit([&] { a = 1; });
        pool.submit([&] { b = 2; });
    }
    assert(a == 1 && b == 2);
}
