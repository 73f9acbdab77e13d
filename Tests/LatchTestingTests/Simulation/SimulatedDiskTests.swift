// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import Synchronization
import Testing

@testable import SessionSimulation

/// Three processes over one disk.
struct DiskFixture: Sendable {
    let simulation = Simulation(seed: 4)
    let network: SimulatedNetwork
    let disk: SimulatedDisk
    let processes: [SimulatedProcess]
    let first: Tokens
    let log = Log()

    final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    init() {
        network = SimulatedNetwork(SimulatedIssuer(simulation))
        network.calmDown()
        first = network.issuer.signIn()
        disk = SimulatedDisk(holding: TokenRecord(credential: first, sessionID: "restored"), as: nil)
        let simulation = simulation
        processes = (0..<3).map { SimulatedProcess($0, in: simulation) }
    }

    func store(of process: Int, _ kind: SimulatedStore.Kind = .shared) -> SimulatedStore {
        SimulatedStore(
            disk: disk, process: processes[process], network: network, kind: kind,
            onLook: { log.add("\($0.id) looks") }, onChange: { process, _, _ in log.add("\(process.id) writes") },
            onForget: { _ in }, onFailure: { _ in },
            coordination: kind == .shared
                ? SimulatedCoordination(
                    disk: disk, process: processes[process], network: network,
                    observers: LockObservers(
                        onWait: { _, _ in }, onEnter: { _, _ in }, onLeave: { _, _ in }, onImpatience: { _ in })) : nil)
    }

    func kill(_ process: Int) {
        processes[process].kill()
        disk.clean(up: processes[process])
    }

    /// Lets a process do something, and all that comes of it happen.
    func run(in process: Int, _ body: @escaping @Sendable () async throws -> Void) {
        simulation.spawn(in: processes[process], body)
        #expect(simulation.run())
    }
}

@Suite struct SimulatedDiskTests {
    let fixture = DiskFixture()

    @Test func `A simulated disk returns the record of a successful call`() throws {
        let tokens = fixture.network.issuer.signIn()
        let (fixture, store) = (fixture, fixture.store(of: 0))
        fixture.run(in: 0) {
            try await expectEqual(store.load(), fixture.first)
            try await store.save(tokens)
            try await expectEqual(store.load(), tokens)
            try await store.clear()
            try await expectNil(store.load())
        }
        expectEqual(fixture.log.all, ["0 looks", "0 writes", "0 looks", "0 looks", "0 writes", "0 looks", "0 looks"])
    }

    @Test(arguments: [StorageStep.Moment.before, .amid])
    func `A simulated disk still holds the old record if the writer was killed before it was done`(
        moment: StorageStep.Moment
    ) {
        let (fixture, store) = (fixture, fixture.store(of: 0))
        fixture.processes[0].doom(at: .writing(.signIn, moment)) { fixture.kill(0) }
        let tokens = fixture.network.issuer.signIn()
        fixture.run(in: 0) {
            try await store.save(tokens)
            Issue.record("a killed process goes on")
        }
        #expect(fixture.processes[0].isKilled)
        expectEqual(fixture.disk.record?.credential, fixture.first)
    }

    @Test func `A simulated disk holds the new record if the writer was killed before it was notified`() {
        let (fixture, store) = (fixture, fixture.store(of: 0))
        fixture.processes[0].doom(at: .writing(.nothing, .after)) { fixture.kill(0) }
        fixture.run(in: 0) {
            try await store.clear()
            Issue.record("a killed process goes on")
        }
        expectNil(fixture.disk.record)
    }

    @Test func `A simulated disk gives turns in the order of the requests, one at a time`() {
        for process in 0..<3 {
            let (fixture, store) = (fixture, fixture.store(of: process))
            fixture.simulation.spawn(in: fixture.processes[process]) {
                try await fixture.simulation.sleep(for: .milliseconds(process))
                let turn = try await store.coordination?.enter(.refresh)
                fixture.log.add("\(process) enters")
                try await fixture.simulation.sleep(for: .seconds(1))
                fixture.log.add("\(process) leaves")
                turn?.release()
            }
        }
        #expect(fixture.simulation.run())
        expectEqual(fixture.log.all, ["0 enters", "0 leaves", "1 enters", "1 leaves", "2 enters", "2 leaves"])
    }

    @Test func `A simulated disk gives the turn of a killed process to the next one that lives`() {
        for process in 0..<3 {
            let (fixture, store) = (fixture, fixture.store(of: process))
            fixture.simulation.spawn(in: fixture.processes[process]) {
                try await fixture.simulation.sleep(for: .milliseconds(process))
                _ = try await store.coordination?.enter(.store)
                fixture.log.add("\(process) enters")
            }
        }
        fixture.simulation.spawn { [fixture] in
            try await fixture.simulation.sleep(for: .seconds(1))
            fixture.kill(1)
            fixture.log.add("1 is killed")
            try await fixture.simulation.sleep(for: .seconds(1))
            fixture.log.add("0 is killed")
            fixture.kill(0)
        }
        #expect(fixture.simulation.run())
        expectEqual(fixture.log.all, ["0 enters", "1 is killed", "0 is killed", "2 enters"])
    }

    @Test func `A simulated disk announces a change to all but its writer, and not to killed processes`() {
        for process in 0..<3 {
            let (fixture, news) = (fixture, fixture.disk.news(for: fixture.processes[process]))
            fixture.simulation.spawn(in: fixture.processes[process]) {
                for await _ in news { fixture.log.add("\(process) hears") }
            }
        }
        fixture.kill(2)
        fixture.disk.announce(from: fixture.processes[0])
        #expect(fixture.simulation.run())
        expectEqual(fixture.log.all, ["1 hears"])
        fixture.disk.announce(from: nil)
        #expect(fixture.simulation.run())
        expectEqual(fixture.log.all.sorted(), ["0 hears", "1 hears", "1 hears"])
    }

    @Test func `A simulated disk offers turns only if processes share it`() {
        #expect(fixture.store(of: 0, .shared).coordination != nil)
        expectNil(fixture.store(of: 0, .lone).coordination)
        expectNil(fixture.store(of: 0, .plain).coordination)
    }
}

@Suite struct KilledProcessTests {
    @Test func `A killed process does nothing more, not even its usual cleanup, until the world has ended`() {
        let fixture = DiskFixture()
        fixture.simulation.spawn(in: fixture.processes[0]) {
            defer { fixture.log.add("unwound") }
            try await fixture.simulation.sleep(for: .seconds(1))
            fixture.log.add("on")
        }
        #expect(fixture.simulation.run(horizon: .zero))
        fixture.kill(0)
        #expect(fixture.simulation.run())
        expectEqual(fixture.log.all, [])
        fixture.simulation.end()
        expectEqual(fixture.log.all.last, "unwound")
    }

    @Test func `A killed process is killed at the step that was chosen, and no other`() {
        let fixture = DiskFixture()
        let store = fixture.store(of: 0)
        fixture.processes[0].doom(at: .reading) { fixture.kill(0) }
        fixture.run(in: 0) { try await store.clear() }
        #expect(!fixture.processes[0].isKilled)
        fixture.run(in: 0) { _ = try await store.load() }
        #expect(fixture.processes[0].isKilled)
        expectEqual(fixture.log.all, ["0 writes", "0 looks"])
    }
}

@Suite struct ProcessKnowledgeTests {
    @Test func `The knowledge of a process counts from the moment after it was learned`() {
        var knowledge = SessionScenarioRecord.Knowledge()
        knowledge.learn(1, at: 5)
        expectEqual(knowledge.count(at: 5), 0)
        expectEqual(knowledge.count(at: 6), 1)
        knowledge.learn(3, at: 9)
        knowledge.learn(4, at: 9)
        expectEqual(knowledge.count(at: 9), 1)
        expectEqual(knowledge.count(at: 10), 4)
    }
}
