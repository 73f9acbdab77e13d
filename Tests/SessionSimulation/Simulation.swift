// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchFoundation
import LatchTesting
import Synchronization

/// A world of its own: one thread, virtual time, and every choice made by a seed.
///
/// Tasks that are spawned in it interleave in an order that the seed decides, and time passes only when nothing else
/// can happen. The same seed is the same run, so that a failure can be replayed.
package final class Simulation: Sendable {
    /// All that changes, behind one lock; the lock is never held while a job runs.
    private struct World {
        /// Every choice of the run, in one sequence.
        var random: SplitMix64
        /// Virtual nanoseconds since the run began.
        var elapsed: Int64 = 0
        /// The sum of the jumps of the date, in seconds, and whether there was one.
        var dateOffset = 0.0
        var dateHasJumped = false
        /// The seconds that the device's date gains in each second.
        var drift = 0.0
        /// Numbers timers in the order of their making, which breaks ties between deadlines.
        var nextTimer = 0
        /// The sleeping tasks, the next one last; each is removed before it is resumed, so it is resumed once.
        var timers: [Timer] = []
        /// Timers that were cancelled before they began to wait.
        var departed: Set<Int> = []
        /// The notes, with their times.
        var trace: [String] = []
        /// The number of times that each fault happened.
        var faults: [SimulatedFault: Int] = [:]
        /// Whether nothing happens any more: every wait ends immediately, by a cancellation.
        var isOver = false
    }

    /// A task that waits.
    private struct Timer {
        let ticket: Int
        let deadline: Int64
        let wake: CheckedContinuation<Void, any Error>
    }

    /// The number that decides every choice.
    package let seed: UInt64
    /// See `World`.
    private let world: Mutex<World>
    /// The executor of all tasks.
    let executor = SimulatedExecutor()
    /// The listeners for jumps of the date.
    private let jumps = DateJumps()
    /// Whether notes are kept; making their text is left out otherwise.
    private let isTracing: Bool

    /// A world.
    ///
    /// - Parameter isTracing: Whether to keep what `note(_:)` is told.
    package init(seed: UInt64, isTracing: Bool = false) {
        self.seed = seed
        self.isTracing = isTracing
        world = Mutex(World(random: SplitMix64(state: seed)))
    }

    /// The executor on which everything in this world runs.
    package var taskExecutor: any TaskExecutor { executor }

    /// The virtual clock.
    package var clock: WallClock {
        WallClock(
            now: { self.now }, sleep: { try await self.sleep(for: $0) }, uptime: { self.elapsed },
            dateChanges: { self.jumps.stream() })
    }

    /// A source of random bytes that follows the seed.
    package var random: RandomSource { RandomSource { self.world.withLock { $0.random.next() } } }

    /// The date that this device believes.
    package var now: Date {
        world.withLock { world in
            let gained = Double(world.elapsed) * 1e-9 * world.drift
            return Self.date(world.elapsed).addingTimeInterval(world.dateOffset + gained)
        }
    }

    /// The date that it is, and that servers know.
    package var trueNow: Date { world.withLock { Self.date($0.elapsed) } }

    /// The virtual time since the run began, which no jump of the date moves.
    private var elapsed: Duration { .nanoseconds(world.withLock { $0.elapsed }) }

    /// A date far from today, so that nobody takes the machine's own for it.
    private static func date(_ elapsed: Int64) -> Date {
        Date(timeIntervalSince1970: 1_800_000_000 + Double(elapsed) * 1e-9)
    }

    /// Whether the device's date is, or was, another than the true one.
    var dateHasJumped: Bool { world.withLock { $0.dateHasJumped } }

    /// Lets the date jump, as a person or a time server may.
    package func jumpDate(bySeconds seconds: Double) {
        world.withLock { world in
            world.dateOffset += seconds
            world.dateHasJumped = true
        }
        jumps.announce()
    }

    /// Lets the device's date gain so many seconds in each second from the beginning.
    func letDateDrift(by drift: Double) { world.withLock { $0.drift = drift } }

    /// Begins a task in this world.
    @discardableResult
    package func spawn<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        Task(executorPreference: executor) { try await body() }
    }

    /// Begins a task of a process, which is not ended by its end but by being forgotten.
    @discardableResult
    func spawn<Value: Sendable>(
        in process: SimulatedProcess, _ body: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        Task(executorPreference: process) { try await body() }
    }

    /// Runs until nothing is left to happen, or nothing that comes within `horizon` of virtual time.
    ///
    /// - Parameters:
    ///   - horizon: How far ahead to wait for the next event; nil for ever.
    ///   - isDone: Ends the run early; asked each time before time passes.
    /// - Returns: Whether it came to rest, and did not go on for ever.
    package func run(horizon: Duration? = nil, until isDone: () -> Bool = { false }) -> Bool {
        for _ in 0..<500_000 {
            if executor.runOne(choosing: { self.below($0) }) { continue }
            if isDone() { return true }
            guard wakeNext(within: horizon) else { return true }
        }
        return false
    }

    /// A number in `0..<bound`.
    package func below(_ bound: Int) -> Int {
        bound <= 1 ? 0 : Int(world.withLock { $0.random.next() } % UInt64(bound))
    }

    /// True in `percent` of a hundred cases.
    package func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// Waits for a random virtual time up to `bound` milliseconds.
    package func pause(upToMilliseconds bound: Int) async throws {
        try await sleep(for: .milliseconds(below(bound + 1)))
    }

    /// Writes a line into the trace of a replay.
    package func note(_ line: @autoclosure () -> String) {
        guard isTracing else { return }
        let text = line()
        world.withLock { $0.trace.append("\(Double($0.elapsed / 1_000_000) / 1_000) s  \(text)") }
    }

    /// The notes of the run.
    package var trace: [String] { world.withLock { $0.trace } }
}

extension Simulation {
    /// Counts a fault that happens now.
    func happens(_ fault: SimulatedFault) {
        note("fault: \(fault)")
        world.withLock { $0.faults[fault, default: 0] += 1 }
    }

    /// The number of times that each fault has happened.
    var faults: [SimulatedFault: Int] { world.withLock { $0.faults } }

    /// Ends the world: what killed processes have left behind is unwound, and has no effect on anything.
    func end() {
        world.withLock { $0.isOver = true }
        executor.unwind()
    }

    /// The virtual nanoseconds since the run began.
    var moment: Int64 { world.withLock { $0.elapsed } }

    /// Waits in virtual time.
    func sleep(for duration: Duration) async throws {
        let wait = Int64(max(0, duration.inSeconds) * 1e9)
        let ticket = nextTicket()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { begin(ticket, wait, $0) }
        } onCancel: {
            leave(ticket)
        }
    }

    /// Waits for a random virtual time up to `bound` milliseconds, as a disk does: whoever is cancelled waits no less.
    func work(upToMilliseconds bound: Int) async {
        let wait = Int64(below(bound + 1)) * 1_000_000
        do {
            try await withCheckedThrowingContinuation { begin(nextTicket(), wait, $0) }
        } catch {
            // The world has ended.
        }
    }

    private func nextTicket() -> Int {
        world.withLock { world in
            world.nextTimer += 1
            return world.nextTimer
        }
    }

    /// Puts a timer before those that come later or came later.
    private func begin(_ ticket: Int, _ wait: Int64, _ wake: CheckedContinuation<Void, any Error>) {
        let isGone = world.withLock { world in
            if world.departed.remove(ticket) != nil || world.isOver { return true }
            let timer = Timer(ticket: ticket, deadline: world.elapsed + wait, wake: wake)
            var place = world.timers.count
            while place > 0, world.timers[place - 1].deadline <= timer.deadline { place -= 1 }
            world.timers.insert(timer, at: place)
            return false
        }
        if isGone { wake.resume(throwing: CancellationError()) }
    }

    /// Lets one go before its time.
    private func leave(_ ticket: Int) {
        let wake = world.withLock { world -> CheckedContinuation<Void, any Error>? in
            guard let place = world.timers.firstIndex(where: { $0.ticket == ticket }) else {
                world.departed.insert(ticket)
                return nil
            }
            return world.timers.remove(at: place).wake
        }
        wake?.resume(throwing: CancellationError())
    }

    /// Lets time pass until the next timer, and wakes who waits for it.
    private func wakeNext(within horizon: Duration?) -> Bool {
        let bound = horizon.map { Int64($0.inSeconds * 1e9) } ?? .max
        let wake = world.withLock { world -> CheckedContinuation<Void, any Error>? in
            guard let next = world.timers.last, next.deadline - world.elapsed <= bound else { return nil }
            world.timers.removeLast()
            world.elapsed = max(world.elapsed, next.deadline)
            return next.wake
        }
        wake?.resume()
        return wake != nil
    }
}
