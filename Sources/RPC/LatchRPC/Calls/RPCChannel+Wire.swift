// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

extension RPCChannel {
    /// Makes a call whose answer is one message.
    func single(_ call: WireCall, _ content: CallContent) async throws -> WireAnswer {
        try await translatingErrors {
            try await within(call.deadline) {
                guard style == .connect, call.kind == .unary, case .one(let message) = content else {
                    var answer = try await enveloped(call, content, isStreamed: content.isStreamed)
                    return try await answer.single()
                }
                let unary = ConnectUnary(call: call, codec: codec, terms: terms)
                let request = try unary.request(message, to: self)
                return try unary.answer(try await pipeline.respond(to: request).collected(), sentWith: request)
            }
        }
    }

    /// Makes a call whose answer is a stream; it is there as soon as its head is.
    func stream(_ call: WireCall, _ content: CallContent) async throws -> WireStream {
        let fields = StreamFields()
        let answer = try await translatingErrors {
            try await within(call.deadline) { try await enveloped(call, content, isStreamed: true, fields) }
        }
        return stream(from: AnswerReader(answer), call, fields)
    }

    /// Makes a call whose answer is a stream, and does not wait for its head: a server may give it only when it has
    /// messages.
    func started(_ call: WireCall, _ content: CallContent) -> WireStream {
        let fields = StreamFields()
        let reader = AnswerReader {
            try await enveloped(call, content, isStreamed: true, fields)
        }
        return stream(from: reader, call, fields)
    }

    private func stream(from reader: AnswerReader, _ call: WireCall, _ fields: StreamFields) -> WireStream {
        WireStream(fields: fields) {
            try await translatingErrors {
                // Who has given up gets nothing more, not even what has arrived already.
                try Task.checkCancellation()
                return try await within(call.deadline) { try await reader.next() }
            }
        }
    }

    private func enveloped(
        _ call: WireCall, _ content: CallContent, isStreamed: Bool, _ fields: StreamFields = StreamFields()
    ) async throws -> EnvelopedAnswer {
        let enveloped = EnvelopedCall(call: call, style: style, codec: codec, terms: terms)
        var request = try enveloped.request(content, to: self)
        request.wantsStream = isStreamed
        let response = try await pipeline.respond(to: request)
        return try EnvelopedAnswer(response, to: enveloped, fields)
    }

    /// The request that all protocols have in common.
    func request(for call: WireCall, body: HTTPBody) -> HTTPRequest {
        var request = HTTPRequest(
            method: .post, scheme: origin.scheme, authority: origin.authority, path: prefix + call.path,
            fields: call.options.metadata, body: body)
        request.fields.reserveCapacity(call.options.metadata.count + 8)
        request.context = call.options.context
        request.template = call.path
        request.isHarmlessToRepeat = call.idempotency != .unknown
        request.assumesHTTP2 = terms.assumesHTTP2
        if let deadline = call.deadline {
            request.tighten(to: deadline.deadline)
            request.timeout = call.options.timeout
        } else if !call.kind.sendsOne || !call.kind.answersOne {
            // A stream may be silent for as long as it likes; a transport would take that for a dead peer.
            request.timeout = .seconds(7 * 86400)
        }
        return request
    }
}

/// Puts what goes wrong below a call into the words of a call; errors of other modules pass as they are.
func translatingErrors<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
        return try await body()
    } catch let error as HTTPError {
        throw RPCError(error)
    } catch is CancellationError {
        throw RPCError.canceled
    }
}

extension RPCError {
    /// What an error of HTTP means for a call.
    init(_ error: HTTPError) {
        let status: RPCCode =
            switch error {
            case .offline, .tls, .pinMismatch, .clientCertificateRefused: .unavailable
            case .timeout: .deadlineExceeded
            case .cancelled: .canceled
            case .tooLarge: .resourceExhausted
            case .malformedMessage: .internal
            case .unacceptableStatus: error.response.map { RPCCode($0.status) } ?? .unknown
            default: .unknown
            }
        self.init(status, error.message, cause: error)
    }
}
