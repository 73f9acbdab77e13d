// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
import LatchHTTP
public import LatchRPC

/// The service that the runner's client calls: it responds as each request specifies.
public struct ConformanceService: ConformanceServiceServer {
    /// A service without state.
    public init() {}

    /// One message there, one back.
    public func unary(_ request: UnaryRequest, context: CallContext) async throws -> UnaryResponse {
        let info = try context.info([request])
        return UnaryResponse(payload: try await payload(request.responseDefinition, info, context))
    }

    /// The same by GET.
    public func idempotentUnary(
        _ request: IdempotentUnaryRequest, context: CallContext
    ) async throws -> IdempotentUnaryResponse {
        let info = try context.info([request])
        return IdempotentUnaryResponse(payload: try await payload(request.responseDefinition, info, context))
    }

    /// The features that the server does not support.
    public func unimplemented(
        _ request: UnimplementedRequest, context: CallContext
    ) async throws -> UnimplementedResponse {
        throw RPCError(.unimplemented, "This method is not answered.")
    }

    /// Messages there, one back when all are read.
    public func clientStream(
        _ requests: RPCStream<ClientStreamRequest>, context: CallContext
    ) async throws -> ClientStreamResponse {
        var received: [ClientStreamRequest] = []
        for try await request in requests { received.append(request) }
        let info = try context.info(received)
        return ClientStreamResponse(payload: try await payload(received.first?.responseDefinition, info, context))
    }

    /// One message there, messages back.
    public func serverStream(
        _ request: ServerStreamRequest, context: CallContext
    ) async throws -> RPCStream<ServerStreamResponse> {
        let plan = ResponsePlan(request.responseDefinition, context)
        let info = try context.info([request])
        return RPCStream { writer in
            for (index, data) in plan.data.enumerated() {
                try await plan.pause()
                let payload = ConformancePayload(data: data, requestInfo: index == 0 ? info : nil)
                try await writer.send(ServerStreamResponse(payload: payload))
            }
            try plan.end(unsaid: info)
        }
    }

    /// Messages both ways, by turns or one way after the other.
    public func bidiStream(
        _ requests: RPCStream<BidiStreamRequest>, context: CallContext
    ) async throws -> RPCStream<BidiStreamResponse> {
        // The first request says which fields are to stand in the head, so it is read before the answer begins.
        var remaining = requests.makeAsyncIterator()
        let first = try await remaining.next()
        let plan = ResponsePlan(first?.responseDefinition, context)
        let isByTurns = first?.fullDuplex ?? false
        return RPCStream { [remaining] writer in
            var remaining = remaining
            var next = first
            var unsaid: [BidiStreamRequest] = []
            var count = 0
            while let request = next {
                unsaid.append(request)
                if isByTurns {
                    guard count < plan.data.count else { break }
                    var info = try context.info(unsaid)
                    // Constant parts are only reported once.
                    if count > 0 { info = ConformancePayload.RequestInfo(requests: info.requests) }
                    try await plan.answer(count, info, to: writer)
                    (count, unsaid) = (count + 1, [])
                }
                next = try await remaining.next()
            }
            while count < plan.data.count {
                try await plan.answer(count, count == 0 ? try context.info(unsaid) : nil, to: writer)
                count += 1
            }
            try plan.end(unsaid: try context.info(unsaid))
        }
    }

    /// The answer of a call with one message back.
    private func payload(
        _ definition: UnaryResponseDefinition?, _ info: ConformancePayload.RequestInfo, _ context: CallContext
    ) async throws -> ConformancePayload {
        guard let definition else { return ConformancePayload(requestInfo: info) }
        context.responseMetadata = HTTPFields(definition.responseHeaders)
        context.responseTrailers = HTTPFields(definition.responseTrailers)
        if definition.responseDelayMs > 0 { try await Task.sleep(for: .milliseconds(definition.responseDelayMs)) }
        switch definition.response {
        case .error(let error): throw error.thrown(with: [try ProtoAny(packing: info)])
        case .responseData(let data): return ConformancePayload(data: data, requestInfo: info)
        case nil: return ConformancePayload(requestInfo: info)
        }
    }
}

/// The response plan of a streaming call.
private struct ResponsePlan: Sendable {
    let data: [Data]
    private let delay: Duration
    private let error: Error?

    init(_ definition: StreamResponseDefinition?, _ context: CallContext) {
        data = definition?.responseData ?? []
        delay = .milliseconds(definition?.responseDelayMs ?? 0)
        error = definition?.error
        guard let definition else { return }
        context.responseMetadata = HTTPFields(definition.responseHeaders)
        context.responseTrailers = HTTPFields(definition.responseTrailers)
    }

    func pause() async throws {
        if delay > .zero { try await Task.sleep(for: delay) }
    }

    func answer(
        _ index: Int, _ info: ConformancePayload.RequestInfo?, to writer: RPCWriter<BidiStreamResponse>
    ) async throws {
        try await pause()
        try await writer.send(BidiStreamResponse(payload: ConformancePayload(data: data[index], requestInfo: info)))
    }

    /// Ends as it is said; where nothing was answered, the error tells what was asked.
    func end(unsaid info: ConformancePayload.RequestInfo) throws {
        guard let error else { return }
        throw error.thrown(with: data.isEmpty ? [try ProtoAny(packing: info)] : [])
    }
}
