// SPDX-License-Identifier: Apache-2.0

import ConnectConformance
import Foundation
import LatchRPC

/// The calls that are made in each style.
enum ConformanceCases {
    private typealias Case = ConformanceCase
    /// Longer than any test waits: what ends before has not waited for it.
    private static let long: UInt32 = 600_000

    static func all(_ style: ConformanceStyle) throws -> [ConformanceCase] {
        try [
            answered(style), failed(style), failedLater(style), outOfTime(style), cancelled(style), refused(style),
        ].flatMap { $0 }
    }

    private static func unary(_ response: UnaryResponseDefinition.Response?, delay: UInt32 = 0)
        -> UnaryResponseDefinition
    {
        UnaryResponseDefinition(
            responseHeaders: Case.head, response: response, responseTrailers: Case.end, responseDelayMs: delay)
    }

    private static func stream(_ data: [Data], _ error: Error? = nil, delay: UInt32 = 0) -> StreamResponseDefinition {
        StreamResponseDefinition(
            responseHeaders: Case.head, responseData: data, responseDelayMs: delay, error: error,
            responseTrailers: Case.end)
    }

    /// The four kinds of calls with one message back, each with what its message asks for.
    private static func singles(
        _ style: ConformanceStyle, _ name: String, _ definition: UnaryResponseDefinition?
    ) throws -> [ClientCompatRequest] {
        var get = try style.request(
            "\(name), get", "IdempotentUnary", .unary, [IdempotentUnaryRequest(responseDefinition: definition)])
        get.useGetHttpMethod = true
        let padding = Data(repeating: 0x41, count: 2000)
        return [
            try style.request(
                "\(name), unary", "Unary", .unary, [UnaryRequest(responseDefinition: definition, requestData: padding)]),
            get,
            try style.request(
                "\(name), client stream", "ClientStream", .clientStream,
                [
                    ClientStreamRequest(responseDefinition: definition), ClientStreamRequest(requestData: padding),
                    ClientStreamRequest(),
                ]),
        ]
    }

    /// The kinds of calls with messages back.
    private static func streams(
        _ style: ConformanceStyle, _ name: String, _ definition: StreamResponseDefinition?
    ) throws -> [ClientCompatRequest] {
        [
            try style.request(
                "\(name), server stream", "ServerStream", .serverStream,
                [ServerStreamRequest(responseDefinition: definition)]),
            try style.request(
                "\(name), both ways", "BidiStream", .halfDuplexBidiStream,
                [BidiStreamRequest(responseDefinition: definition), BidiStreamRequest(requestData: Case.first)]),
        ]
    }

    private static func answered(_ style: ConformanceStyle) throws -> [ConformanceCase] {
        let both = [Case.first, Case.second]
        return try singles(style, "ok", unary(.responseData(Case.second))).map {
            Case(request: $0, data: [Case.second])
        }
            + streams(style, "ok", stream(both)).map { Case(request: $0, data: both) }
            + singles(style, "nothing said", nil).map { Case(request: $0, data: [Data()], hasFields: false) }
            + streams(style, "nothing said", nil).map { Case(request: $0, hasFields: false, hasInfo: false) }
            + singles(style, "in time", unary(.responseData(Case.first))).map { request in
                var request = request
                request.timeoutMs = long
                return Case(request: request, data: [Case.first])
            }
    }

    private static func failed(_ style: ConformanceStyle) throws -> [ConformanceCase] {
        let requests =
            try singles(style, "error", unary(.error(Case.failure)))
            + streams(style, "error", stream([], Case.failure))
        return requests.map { Case(request: $0, error: .resourceExhausted, message: Case.failure.message) }
    }

    private static func failedLater(_ style: ConformanceStyle) throws -> [ConformanceCase] {
        try streams(style, "error after an answer", stream([Case.first], Case.failure)).map {
            Case(request: $0, data: [Case.first], error: .resourceExhausted, message: Case.failure.message)
        }
    }

    private static func outOfTime(_ style: ConformanceStyle) throws -> [ConformanceCase] {
        let requests =
            try singles(style, "timeout", unary(.responseData(Case.first), delay: long))
            + streams(style, "timeout", stream([Case.first], delay: long))
        return requests.map { request in
            var request = request
            request.timeoutMs = 50
            return Case(request: request, error: .deadlineExceeded, hasFields: false, hasInfo: false)
        }
    }

    private static func cancelled(_ style: ConformanceStyle) throws -> [ConformanceCase] {
        let waiting =
            try singles(style, "cancelled", unary(.responseData(Case.first), delay: long))
            + streams(style, "cancelled", stream([Case.first], delay: long))
        let early = waiting.map { request in
            var request = request
            request.cancel = .init(cancelTiming: .afterCloseSendMs(5))
            return Case(request: request, error: .canceled, hasFields: false, hasInfo: false)
        }
        let unfinished = waiting.filter { $0.requestMessages.count > 1 }.map { request in
            var request = request
            request.testName += " before its end"
            request.cancel = .init(cancelTiming: .beforeCloseSend(Empty()))
            return Case(request: request, error: .canceled, hasFields: false, hasInfo: false)
        }
        let late = try streams(style, "cancelled after an answer", stream([Case.first, Case.second])).map { request in
            var request = request
            request.cancel = .init(cancelTiming: .afterNumResponses(1))
            return Case(request: request, data: [Case.first], error: .canceled, hasFields: false)
        }
        return early + unfinished + late
    }

    private static func refused(_ style: ConformanceStyle) throws -> [ConformanceCase] {
        let large = Data(repeating: 0x42, count: 300_000)
        let limited =
            try singles(style, "too large", unary(.responseData(large))) + streams(style, "too large", stream([large]))
        return limited.map { Case(request: $0, error: .resourceExhausted, hasFields: false, hasInfo: false) } + [
            Case(
                request: try style.request("not there", "Unimplemented", .unary, [UnimplementedRequest()]),
                error: .unimplemented, hasFields: false, hasInfo: false)
        ]
    }
}
