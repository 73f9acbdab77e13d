// SPDX-License-Identifier: Apache-2.0

import ConnectConformance
import Expectations
import Foundation
import LatchRPC
import Testing

/// A call of our own making, and what is to come of it.
struct ConformanceCase {
    var request: ClientCompatRequest
    /// The data of the answer's messages.
    var data: [Data] = []
    var error: Code?
    var message: String?
    /// Whether head and end of the answer reach the client at all.
    var hasFields = true
    /// Whether the server tells what it was asked.
    var hasInfo = true

    static let first = Data("first answer".utf8)
    static let second = Data(repeating: 0x5A, count: 3000)
    static let head = [Header(name: "x-custom-header", value: ["foo", "bar"])]
    static let end = [Header(name: "x-custom-trailer", value: ["bing"])]
    static let failure = Error(
        code: .resourceExhausted, message: "no more of ö%", details: [try? ProtoAny(packing: head[0])].compactMap { $0 }
    )

    /// Holds an answer against what is expected.
    func check(_ answer: ClientCompatResponse?) throws {
        let name = Comment(rawValue: request.testName)
        guard case .response(let result) = answer?.result else {
            Issue.record("\(request.testName): \(String(describing: answer))")
            return
        }
        expectEqual(result.payloads.map(\.data), data, name)
        expectEqual(result.error?.code, error, name)
        if let message { expectEqual(result.error?.message, message, name) }
        if hasFields { checkFields(result) }
        guard hasInfo else { return }
        let info = try #require(try requestInfo(result), name)
        expectEqual(values("x-asked", info.requestHeaders), ["a", "b c"], name)
        expectEqual(info.requests, request.requestMessages, name)
        if let timeout = request.timeoutMs { expectEqual(info.timeoutMs.map { $0 <= Int64(timeout) }, true, name) }
        expectEqual(info.connectGetInfo != nil, request.useGetHttpMethod && request.protocol == .connect, name)
    }

    private func checkFields(_ result: ClientResponseResult) {
        let name = Comment(rawValue: request.testName)
        // Of an error, all fields come with it and count as trailers.
        let all = result.responseHeaders + result.responseTrailers
        expectEqual(values("x-custom-header", error == nil ? result.responseHeaders : all), ["foo", "bar"], name)
        expectEqual(values("x-custom-trailer", error == nil ? result.responseTrailers : all), ["bing"], name)
        guard result.error != nil, message != nil else { return }
        expectEqual(result.error?.details.first, Self.failure.details.first, name)
    }

    /// The request as the server received it, from the first message or the error.
    private func requestInfo(_ result: ClientResponseResult) throws -> ConformancePayload.RequestInfo? {
        if let info = result.payloads.first?.requestInfo { return info }
        for detail in result.error?.details ?? [] {
            if let info = try detail.unpack(ConformancePayload.RequestInfo.self) { return info }
        }
        return nil
    }

    /// The values of a field, whether they came in one line or in several.
    private func values(_ name: String, _ headers: [Header]) -> [String] {
        headers.filter { $0.name == name }.flatMap(\.value).flatMap { $0.components(separatedBy: ", ") }
    }
}
