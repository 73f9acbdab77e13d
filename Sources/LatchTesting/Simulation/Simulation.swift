// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import LatchCore

/// A world of its own: one thread, virtual time, and every choice made by a seed.
///
/// Tasks that are spawned in it interleave in an order that the seed decides, and time passes only when nothing else
/// can happen. The same seed is the same run, so that a failure can be replayed.
public final class Simulation: Sendable {
    /// All that changes, behind one lock; the lock is never held while a job runs.
    private struct World {
        /// Every choice of the run, in one sequence.
        var random: SplitMix64
        /// Virtual nanoseconds since the run began.
        var elapsed: Int64 = 0
        /// How far the date has jumped, in seconds.
        var dateOffset = 0.0
        /// Numbers timers in the order of their making, which breaks ties between deadlines.
        var nextTimer = 0
        /// Who waits; each continuation is taken out before it is resumed, so it is resumed once.
        var timers: [Int: (deadline: Int64, wake: CheckedContinuation<Void, any Error>)] = [:]
        /// Timers that were cancelled before they began to wait.
        var departed: Set<Int> = []
        /// The notes, with their times.
        var trace: [String] = []
    }

    /// The number that decides every choice.
    public let seed: UInt64
    /// See `World`.
    private let world: Lock<World>
    /// Where all tasks of this world run.
    let executor = SimulatedExecutor()
    /// Who wants to hear when the date jumps.
    private let jumps = DateJumps()
    /// Whether notes are kept; making their text is left out otherwise.
    private let isTracing: Bool

    /// A world.
    ///
    /// - Parameter isTracing: Whether to keep what `note(_:)` is told.
    public init(seed: UInt64, isTracing: Bool = false) {
        self.seed = seed
        self.isTracing = isTracing
        world = Lock(World(random: SplitMix64(state: seed)))
    }

    /// The executor on which everything in this world runs.
    public var taskExecutor: any TaskExecutor { executor }

    /// The virtual clock.
    public var clock: WallClock {
        WallClock(
            now: { self.now }, sleep: { try await self.sleep(for: $0) }, uptime: { self.elapsed },
            dateChanges: { self.jumps.stream() })
    }

    /// A source of random bytes that follows the seed.
    public var random: RandomSource { RandomSource { self.world.withLock { $0.random.next() } } }

    /// The date that this device believes.
    public var now: Date { world.withLock { Self.date($0.elapsed).addingTimeInterval($0.dateOffset) } }

    /// The date that it is, and that servers know.
    public var trueNow: Date { world.withLock { Self.date($0.elapsed) } }

    /// The virtual time since the run began, which no jump of the date moves.
    private var elapsed: Duration { .nanoseconds(world.withLock { $0.elapsed }) }

    /// A date far from today, so that nobody takes the machine's own for it.
    private static func date(_ elapsed: Int64) -> Date {
        Date(timeIntervalSince1970: 1_800_000_000 + Double(elapsed) * 1e-9)
    }

    /// Whether the device's date is, or was, another than the true one.
    var dateHasJumped: Bool { world.withLock { $0.dateOffset != 0 } }

    /// Lets the date jump, as a person or a time server may.
    public func jumpDate(bySeconds seconds: Double) {
        world.withLock { $0.dateOffset += seconds }
        jumps.announce()
    }

    /// Begins a task in this world.
    @discardableResult
    public func spawn<Value: Sendable>(
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
    ///   - isDone: Ends the run early.
    /// - Returns: Whether it came to rest, and did not go on for ever.
    public func run(horizon: Duration? = nil, until isDone: () -> Bool = { false }) -> Bool {
        for _ in 0..<500_000 {
            if isDone() { return true }
            if executor.runOne(choosing: { self.below($0) }) { continue }
            guard wakeNext(within: horizon) else { return true }
        }
        return false
    }

    /// A number in `0..<bound`.
    public func below(_ bound: Int) -> Int {
        bound <= 1 ? 0 : Int(world.withLock { $0.random.next() } % UInt64(bound))
    }

    /// True in `percent` of a hundred cases.
    public func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// Waits for a random virtual time up to `bound` milliseconds.
    public func pause(upToMilliseconds bound: Int) async throws {
        try await sleep(for: .milliseconds(below(bound + 1)))
    }

    /// Writes a line into the trace of a replay.
    public func note(_ line: @autoclosure () -> String) {
        guard isTracing else { return }
        let text = line()
        world.withLock { $0.trace.append("\(Double($0.elapsed / 1_000_000) / 1_000) s  \(text)") }
    }

    /// What was noted.
    public var trace: [String] { world.withLock { $0.trace } }
}

extension Simulation {
    /// Waits in virtual time.
    func sleep(for duration: Duration) async throws {
        let wait = Int64(max(0, duration.inSeconds) * 1e9)
        let ticket = world.withLock { world in
            world.nextTimer += 1
            return world.nextTimer
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isGone = world.withLock { world in
                    guard world.departed.remove(ticket) == nil else { return true }
                    world.timers[ticket] = (world.elapsed + wait, continuation)
                    return false
                }
                if isGone { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let wake = world.withLock { world -> CheckedContinuation<Void, any Error>? in
                guard let timer = world.timers.removeValue(forKey: ticket) else {
                    world.departed.insert(ticket)
                    return nil
                }
                return timer.wake
            }
            wake?.resume(throwing: CancellationError())
        }
    }

    /// Lets time pass until the next timer, and wakes who waits for it.
    private func wakeNext(within horizon: Duration?) -> Bool {
        let bound = horizon.map { Int64($0.inSeconds * 1e9) } ?? .max
        let wake = world.withLock { world -> CheckedContinuation<Void, any Error>? in
            let next = world.timers.min { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
            guard let next, next.value.deadline - world.elapsed <= bound else { return nil }
            world.timers[next.key] = nil
            world.elapsed = max(world.elapsed, next.value.deadline)
            return next.value.wake
        }
        wake?.resume()
        return wake != nil
    }
}
