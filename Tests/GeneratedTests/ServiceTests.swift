// SPDX-License-Identifier: Apache-2.0

import Expectations
import GeneratedModels
import LatchHTTP
import LatchRPC
import LatchServer
import Testing

/// Counts, for whoever calls.
private struct Counter: CounterServiceServer {
    func add(_ request: Number, context: CallContext) async throws -> Number { Number(value: request.value + 1) }
    func total(_ request: Empty, context: CallContext) async throws -> Number { Number(value: 7) }
    func reset(_ request: Number, context: CallContext) async throws {
        if request.value < 0 { throw RPCError(.invalidArgument, "below zero") }
    }
    func countTo(_ request: Number, context: CallContext) async throws -> RPCStream<Number> {
        RPCStream((0..<request.value).map { Number(value: $0) })
    }
    func sum(_ requests: RPCStream<Number>, context: CallContext) async throws -> Number {
        var sum = Number()
        for try await number in requests { sum.value += number.value }
        return sum
    }
    func double(_ requests: RPCStream<Number>, context: CallContext) async throws -> RPCStream<Number> {
        var numbers: [Number] = []
        for try await number in requests { numbers.append(Number(value: number.value * 2)) }
        return RPCStream(numbers)
    }
    func `import`(_ request: Number, context: CallContext) async throws -> LatchRPC.Timestamp {
        LatchRPC.Timestamp(seconds: request.value)
    }
    func subtract(_ request: Number, context: CallContext) async throws -> Number { throw RPCError.unimplemented }
}

@Suite struct ServiceTests {
    private let stub: CounterServiceStub

    init() throws {
        // The service is a handler, and a channel sends through one: no socket is needed between them.
        stub = CounterServiceStub(try RPCChannel("http://localhost", through: RPCService(Counter().rpcMethods)))
    }

    @Test func `A generated service answers calls of one message`() async throws {
        try await expectEqual(stub.add(Number(value: 1)).value, 2)
        try await expectEqual(stub.total(Empty()).value, 7)
        try await stub.reset(Number(value: 1))
        try await expectEqual(stub.import(Number(value: 5)).seconds, 5)
    }

    @Test func `A generated service answers with errors that it throws`() async throws {
        await #expect { try await stub.reset(Number(value: -1)) } throws: { error in
            (error as? RPCError)?.status == .invalidArgument && (error as? RPCError)?.message == "below zero"
        }
    }

    @Test func `A generated service answers streams`() async throws {
        var numbers: [Int64] = []
        for try await number in try await stub.countTo(Number(value: 3)) { numbers.append(number.value) }
        expectEqual(numbers, [0, 1, 2])
        try await expectEqual(stub.sum(RPCStream([Number(value: 1), Number(value: 2)])).value, 3)
    }

    @Test func `A generated service knows its methods`() {
        expectEqual(CounterServiceMethods.add.path, "/calls.v1.CounterService/Add")
        expectEqual(CounterServiceMethods.double.kind, .bidirectional)
        expectEqual(CounterServiceMethods.countTo.kind, .serverStreaming)
        expectEqual(CounterServiceMethods.total.idempotency, .noSideEffects)
        expectEqual(CounterServiceMethods.reset.idempotency, .idempotent)
    }
}

@Suite struct FakeServiceTests {
    @Test func `A generated fake returns the responses of its handlers, and records the requests`() async throws {
        let fake = CounterServiceFake()
        fake.onAdd = { Number(value: $0.value * 10) }
        fake.onReset = { _ in }
        let service: any CounterServiceProtocol = fake
        try await expectEqual(service.add(Number(value: 2)).value, 20)
        try await service.reset(Number(value: 3))
        expectEqual(fake.addRequests, [Number(value: 2)])
        expectEqual(fake.resetRequests, [Number(value: 3)])
        #expect(fake.totalRequests.isEmpty)
    }

    @Test func `A generated fake without an answer fails like a server without the method`() async throws {
        let fake = CounterServiceFake()
        await #expect { try await fake.total(Empty()) } throws: { ($0 as? RPCError)?.status == .unimplemented }
        expectEqual(fake.totalRequests.count, 1)
    }
}
