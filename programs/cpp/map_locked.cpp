// The twin under a lock, with strings, a set and a list besides.
// gabion: verdict=verified
// gabion: args=--cflags -std=c++20
#include <cassert>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

static std::mutex mutex;
static std::map<std::string, int> ages;
static std::set<int> seen;
static std::list<std::string> log_of_names;

static void add(const char *name, int age) {
    std::lock_guard lock(mutex);
    ages[name] = age;
    seen.insert(age);
    log_of_names.push_back(name);
}

int main() {
    std::thread t([] { add("the older of the two, with a long name", 41); });
    add("the younger", 23);
    t.join();
    assert(ages.size() == 2 && seen.count(41) && log_of_names.size() == 2);
    seen.erase(23);
    assert(*seen.begin() == 41);
}
