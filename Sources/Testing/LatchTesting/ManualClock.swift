// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchFoundation
import Synchronization

/// A clock that a test moves, which resumes the waiting tasks.
///
/// ```swift
/// let clock = ManualClock()
/// async let answer = client.perform(route)              // somewhere inside, it waits before it tries again
/// #expect(await clock.wakeNext() == .seconds(2))        // no real time passes
/// ```
///
/// The date and the measured time are separate, as on a real machine: `advance` moves both, `jump` only the date.
public final class ManualClock: Sendable {
    /// A task that waits until `deadline` in measured time.
    private struct Sleeper {
        let deadline: Duration
        let wake: CheckedContinuation<Void, any Error>
    }

    /// A test that waits until the sleepers satisfy a condition.
    private struct Audience {
        let isContent: @Sendable (_ remaining: [Duration]) -> Bool
        let tell: CheckedContinuation<Void, Never>
    }

    /// The changing state; no continuation is resumed while the lock is held.
    private struct World {
        var date: Date
        var uptime: Duration
        var nextID = 0
        var sleepers: [Int: Sleeper] = [:]
        /// Sleepers that were canceled before they began to wait.
        var departed: Set<Int> = []
        var audience: [Audience] = []

        /// The remaining time of each sleeper, the shortest first.
        var remaining: [Duration] { sleepers.values.map { $0.deadline - uptime }.sorted() }

        /// Removes the waiters whose condition the current sleepers meet.
        mutating func contented() -> [Audience] {
            guard !audience.isEmpty else { return [] }
            let remaining = remaining
            let told = audience.filter { $0.isContent(remaining) }
            audience.removeAll { $0.isContent(remaining) }
            return told
        }
    }

    private let world: Mutex<World>
    private let jumps = DateJumps()

    /// Creates a clock that shows `date`.
    public init(_ date: Date = Date(timeIntervalSince1970: 1_800_000_000)) {
        world = Mutex(World(date: date, uptime: .seconds(date.timeIntervalSince1970)))
    }

    /// The date that the clock shows.
    public var now: Date { world.withLock { $0.date } }

    /// The measured time, which no jump of the date changes.
    public var uptime: Duration { world.withLock { $0.uptime } }

    /// Lets time pass, and resumes the tasks whose deadlines have passed, in the order of their deadlines.
    ///
    /// All of them see the final time. A negative duration moves only the date, as `jump` does.
    public func advance(by duration: Duration) {
        defer { if duration < .zero { jumps.announce() } }
        let (due, told) = world.withLock { world in
            world.date += duration.inSeconds
            guard duration > .zero else { return ([Sleeper](), [Audience]()) }
            world.uptime += duration
            let due = world.sleepers.filter { $0.value.deadline <= world.uptime }
                .sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
            for (id, _) in due { world.sleepers[id] = nil }
            return (due.map(\.value), world.contented())
        }
        for sleeper in due { sleeper.wake.resume() }
        for audience in told { audience.tell.resume() }
    }

    /// Lets seconds pass.
    public func advance(by seconds: TimeInterval) { advance(by: .seconds(seconds)) }

    /// Moves only the date, as a user or a time server can.
    ///
    /// Waiting tasks are unaffected, and listeners for jumps are notified.
    public func jump(by seconds: TimeInterval) {
        world.withLock { $0.date += seconds }
        jumps.announce()
    }

    /// The number of listeners for jumps of the date.
    public var jumpListenerCount: Int { jumps.listenerCount }

    /// The remaining time of each waiting task, the shortest first.
    public var sleepers: [Duration] {
        world.withLock { $0.remaining }
    }

    /// Returns the remaining times when at least `count` tasks wait, so that a test need not sleep.
    public func sleepers(atLeast count: Int) async -> [Duration] {
        await audience { $0.count >= count }
        return sleepers
    }

    /// Returns when a task has a remaining wait in `range`.
    ///
    /// A task that computes a wait before it waits does not notice a move of the clock in between. A test that knows
    /// the duration moves the clock only after this call.
    public func sleeper(for range: ClosedRange<Duration>) async {
        await audience { $0.contains(where: range.contains) }
    }

    /// Waits until the sleepers satisfy `isContent`.
    private func audience(_ isContent: @escaping @Sendable ([Duration]) -> Bool) async {
        await withCheckedContinuation { tell in
            let isThere = world.withLock { world in
                guard !isContent(world.remaining) else { return true }
                world.audience.append(Audience(isContent: isContent, tell: tell))
                return false
            }
            if isThere { tell.resume() }
        }
    }

    /// Waits until a task waits, and advances to the first deadline.
    ///
    /// - Returns: The duration of the advance.
    @discardableResult
    public func wakeNext() async -> Duration {
        // The sleeper may have been canceled; then the next one is awaited.
        while true {
            guard let next = await sleepers(atLeast: 1).first else { continue }
            advance(by: next)
            return next
        }
    }

    /// Returns the clock in the form that this package uses.
    ///
    /// A task waits until the test moves the clock, or until it is canceled; a wait of zero or less returns
    /// immediately.
    ///
    /// - Parameter skew: The error of the date in seconds.
    public func wallClock(skew: TimeInterval = 0) -> WallClock {
        WallClock(
            now: { self.now.addingTimeInterval(skew) }, sleep: { try await self.sleep(for: $0) },
            uptime: { self.uptime }, dateChanges: { self.jumps.stream() })
    }

    /// Returns a clock for a single waiting task: each wait moves the clock, and takes no time.
    ///
    /// - Parameter waited: Called with the duration of each wait.
    public func leapingClock(_ waited: @escaping @Sendable (Duration) -> Void = { _ in }) -> WallClock {
        WallClock(
            now: { self.now },
            sleep: { duration in
                try Task.checkCancellation()
                waited(duration)
                if duration > .zero { self.advance(by: duration) }
            },
            uptime: { self.uptime })
    }

    /// Waits until the clock has been moved far enough.
    private func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        guard duration > .zero else { return }
        let id = world.withLock { world in
            world.nextID += 1
            return world.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enter(id, for: duration, wake: $0) }
        } onCancel: {
            leave(id)
        }
    }

    private func enter(_ id: Int, for duration: Duration, wake: CheckedContinuation<Void, any Error>) {
        let told: [Audience]? = world.withLock { world in
            guard world.departed.remove(id) == nil else { return nil }
            world.sleepers[id] = Sleeper(deadline: world.uptime + duration, wake: wake)
            return world.contented()
        }
        guard let told else { return wake.resume(throwing: CancellationError()) }
        for audience in told { audience.tell.resume() }
    }

    private func leave(_ id: Int) {
        let sleeper: Sleeper? = world.withLock { world in
            guard let sleeper = world.sleepers.removeValue(forKey: id) else {
                world.departed.insert(id)
                return nil
            }
            return sleeper
        }
        sleeper?.wake.resume(throwing: CancellationError())
    }
}
