// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import SessionSimulation
import Synchronization
import Testing

@Suite final class SharedResultTests: Sendable {
    let simulation = Simulation(seed: 7)
    let shared = SharedResult<Int>()
    let got = Mutex<[Result<Int, any Error>]>([])

    /// A task that waits and notes what it got.
    @discardableResult
    func wait() -> Task<Void, any Error> {
        simulation.spawn {
            let result: Result<Int, any Error>
            do { result = .success(try await self.shared.value()) } catch { result = .failure(error) }
            self.got.withLock { $0.append(result) }
        }
    }

    var values: [Int?] { got.withLock { $0.map { try? $0.get() } } }

    var cancellations: Int {
        got.withLock { $0.count { if case .failure(is CancellationError) = $0 { true } else { false } } }
    }

    @Test(arguments: [1, 2, 500])
    func `A shared result reaches every waiting task, and none before it is there`(count: Int) {
        for _ in 0..<count { wait() }
        #expect(simulation.run())
        #expect(values.isEmpty)
        shared.finish(.success(4))
        #expect(simulation.run())
        expectEqual(values, Array(repeating: 4, count: count))
    }

    @Test func `A shared result is available at once to a late caller`() {
        shared.finish(.success(4))
        wait()
        wait()
        #expect(simulation.run())
        expectEqual(values, [4, 4])
    }

    @Test func `A shared result is the first one, however often it is finished`() {
        wait()
        shared.finish(.success(1))
        shared.finish(.success(2))
        shared.finish(.failure(AuthError.superseded))
        wait()
        #expect(simulation.run())
        expectEqual(values, [1, 1])
    }

    @Test func `A shared result is the same failure for all`() {
        for _ in 0..<3 { wait() }
        shared.finish(.failure(AuthError.superseded))
        wait()
        #expect(simulation.run())
        let codes = got.withLock { got in
            got.map { result -> String? in
                if case .failure(let error as AuthError) = result { error.code } else { nil }
            }
        }
        expectEqual(codes, Array(repeating: "superseded", count: 4))
    }

    @Test func `A shared result releases a canceled caller at once, and keeps the others`() {
        wait()
        let leaving = wait()
        wait()
        #expect(simulation.run())
        leaving.cancel()
        #expect(simulation.run())
        expectEqual(cancellations, 1)
        expectEqual(values.count, 1)
        shared.finish(.success(9))
        #expect(simulation.run())
        expectEqual(values.compactMap { $0 }, [9, 9])
    }

    @Test func `A shared result is not awaited by a caller that was canceled before`() {
        let task = wait()
        task.cancel()
        #expect(simulation.run())
        expectEqual(cancellations, 1)
        shared.finish(.success(9))
        #expect(simulation.run())
        expectEqual(values.count, 1)
    }

    @Test func `A shared result that already exists is given to a canceled caller`() {
        shared.finish(.success(9))
        let task = wait()
        task.cancel()
        #expect(simulation.run())
        expectEqual(values, [9])
    }

    @Test func `A shared result does not change if the cancellation comes after it`() {
        let task = wait()
        #expect(simulation.run())
        shared.finish(.success(9))
        task.cancel()
        #expect(simulation.run())
        expectEqual(values, [9])
    }

    @Test func `A shared result is given exactly once to each while threads race to finish and to cancel`() async {
        for round in 0..<200 {
            let shared = SharedResult<Int>()
            let outcomes = await withTaskGroup(of: Int?.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let waiter = Task { try await shared.value() }
                        if number.isMultiple(of: 2) { waiter.cancel() }
                        return try? await waiter.value
                    }
                }
                group.addTask {
                    shared.finish(.success(round))
                    return round
                }
                var outcomes: [Int?] = []
                for await outcome in group { outcomes.append(outcome) }
                return outcomes
            }
            expectEqual(outcomes.count, 9)
            // Whoever was not cancelled has the result; who was may have either.
            #expect(outcomes.count { $0 == round } >= 5)
            #expect(outcomes.allSatisfy { $0 == nil || $0 == round })
        }
    }
}
