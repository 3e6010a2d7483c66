// The C++ library and classes of the program, made of one another.
#include <thread>
#include <vector>
#include <string>
#include <map>
#include <unordered_map>
#include <mutex>
#include <condition_variable>
#include <atomic>
#include <memory>
#include <deque>
#include <functional>
#include <optional>
#include <algorithm>
#include <future>
#include <sstream>
#include <iostream>
#include <set>
#include <variant>
#include <tuple>
#include <shared_mutex>
template <class T> class Queue { std::deque<T> q; std::mutex m; std::condition_variable cv; bool closed = false; public:
 void push(T t) { { std::lock_guard<std::mutex> g(m); q.push_back(std::move(t)); } cv.notify_one(); }
 std::optional<T> pop() { std::unique_lock<std::mutex> g(m); cv.wait(g, [&] { return closed || !q.empty(); }); if (q.empty()) return std::nullopt; T t = std::move(q.front()); q.pop_front(); return t; }
 void close() { std::lock_guard<std::mutex> g(m); closed = true; cv.notify_all(); } };
template <class T> struct Stack { struct Node { T v; Node *next; }; std::atomic<Node *> head{nullptr}; void push(T v) { Node *n = new Node{v, head.load()}; while (!head.compare_exchange_weak(n->next, n)) ; } bool pop(T &out) { Node *n = head.load(); while (n && !head.compare_exchange_weak(n, n->next)) ; if (!n) return false; out = n->v; delete n; return true; } };
struct Shape { virtual ~Shape() {} virtual double area() const = 0; std::string name; int id = 0; };
struct Sq : Shape { double a; Sq(double a) : a(a) { name = "sq"; } double area() const override { return a * a; } };
struct Ci : Shape { double r; Ci(double r) : r(r) { name = "ci"; id++; } double area() const override { return 3 * r * r; } };
struct P { int x, y; bool operator<(const P &o) const { return x < o.x || (x == o.x && y < o.y); } };
std::map<P, std::string> places; std::set<int> ids; std::unordered_map<std::string, int> counts;
class Account { mutable std::mutex m; long balance = 0; std::vector<long> log; public: void add(long v) { std::lock_guard<std::mutex> g(m); balance += v; log.push_back(v); } long get() const { std::lock_guard<std::mutex> g(m); return balance; } void move(Account &o, long v) { std::scoped_lock g(m, o.m); balance -= v; o.balance += v; } std::vector<long> all() const { std::lock_guard<std::mutex> g(m); return log; } };
struct Matrix { std::vector<double> d; int n; Matrix(int n) : d(n * n), n(n) {} double &at(int i, int j) { return d[i * n + j]; } Matrix mul(const Matrix &o) const { Matrix r(n); for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) r.d[i * n + j] += d[i * n + k] * o.d[k * n + j]; return r; } };
class Singleton { public: static Singleton &get() { static Singleton s; return s; } int v = 0; std::string s = "abc"; };
struct Counter { std::atomic<int> n{0}; std::shared_mutex sm; int x = 0; void inc() { n.fetch_add(1, std::memory_order_relaxed); std::unique_lock l(sm); x++; } int read() { std::shared_lock l(sm); return x; } };
struct Guard { Account &a; Guard(Account &a) : a(a) {} ~Guard() { a.add(-1); } };
int thrower(Account &a, int k) { Guard g(a); std::string s("hello"); if (k > 2) throw std::runtime_error(s + std::to_string(k)); try { if (k == 1) throw P{k, 2}; a.add(k); } catch (const P &p) { return p.x + a.get(); } return s.size(); }
using V = std::variant<int, std::string>; int visit(V &v) { return std::visit([](auto &x) -> int { if constexpr (std::is_same_v<std::decay_t<decltype(x)>, int>) return x++; else return x.size(); }, v); }
std::function<int(int)> adder(int k) { return [k](int x) { return x + k; }; }
std::tuple<int, std::string> tup(int k) { return {k, "x"}; }
struct List { std::unique_ptr<List> next; int v; List(int v) : v(v) {} }; int total(const List *l) { int s = 0; for (; l; l = l->next.get()) s += l->v; return s; }
std::shared_ptr<Shape> current; void replace(std::shared_ptr<Shape> s) { std::atomic_store(&current, s); }
std::string join(const std::vector<std::string> &v) { std::string r; for (auto &s : v) { if (!r.empty()) r += ','; r += s; } return r; }
thread_local std::string tls; void tl() { tls += "x"; }
struct Base1 { virtual void f() {} int p = 1; }; struct Base2 { virtual int g() { return q; } int q = 2; }; struct Both : virtual Base1, Base2 { int g() override { return p + q; } }; int dyn(Base2 *b) { if (auto *x = dynamic_cast<Both *>(b)) return x->p + x->g(); return b->g(); }
int main() { Queue<std::string> q; std::vector<std::thread> ts; Account a, b; Stack<int> st; for (int i = 0; i < 3; i++) ts.emplace_back([&, i] { q.push(std::to_string(i)); a.add(i); a.move(b, 1); st.push(i); }); for (auto &t : ts) t.join(); q.close(); while (auto s = q.pop()) { places[{1, 2}] = *s; ids.insert(3); counts[*s]++; } int out; while (st.pop(out)) std::cout << out; std::vector<std::unique_ptr<Shape>> sh; sh.push_back(std::make_unique<Sq>(2)); sh.push_back(std::make_unique<Ci>(1)); double s = 0; for (auto &x : sh) s += x->area() + x->id; std::sort(sh.begin(), sh.end(), [](auto &x, auto &y) { return x->area() < y->area(); }); Singleton::get().v++; Counter c; c.inc(); V v = 3; auto f = std::async([&] { return c.read() + visit(v); }); Matrix m(3); m.at(1, 1) = 2; auto r = m.mul(m); auto [k, w] = tup(2); auto fn = adder(2); Both both; std::ostringstream o; o << join({"a", "b"}) << f.get() << r.at(1, 1) << k << w << fn(3) << dyn(&both) << a.get() << a.all().size() << thrower(a, 1) << s; tl(); List l(1); return total(&l) + o.str().size(); }
