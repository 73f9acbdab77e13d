// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchHTTP

/// Why a call failed, as the server says it or as this side found out.
///
/// ```swift
/// do { try await users.login(request) } catch RPCError.unauthenticated { show(.wrongPassword) }
/// ```
///
/// A method of a server throws one to answer with it; anything else that it throws is answered as `internal`, and its
/// text stays in the server.
public struct RPCError: CodedError {
    /// The code.
    public let status: RPCCode
    /// What happened, in the server's words where it gave some.
    public let message: String
    /// Messages that say more, for programs.
    public var details: [ProtoAny]
    /// The fields and trailers that came with the error, or that are to go with it.
    public var metadata: HTTPFields
    /// What went wrong below, where this side found out by itself: usually an `HTTPError`.
    public let cause: (any Error)?

    /// An error to answer with.
    public init(
        _ status: RPCCode, _ message: String = "", details: [ProtoAny] = [], metadata: HTTPFields = [:],
        cause: (any Error)? = nil
    ) {
        self.status = status
        self.message = message
        self.details = details
        self.metadata = metadata
        self.cause = cause
    }

    /// The code's name, such as `not_found`.
    public var code: String { status.name }

    /// Nothing: what to do depends on the method.
    public var hint: String? { nil }

    /// The code's name, then the message.
    public var description: String { message.isEmpty ? code : "\(code): \(message)" }

    /// Whether the same call may succeed a moment later, though it may have had its effect already.
    public var isRetryable: Bool { status == .unavailable }

    /// The first detail of a type; nil where there is none, or none that can be read.
    public func detail<Detail: Message>(_ type: Detail.Type) -> Detail? {
        for detail in details {
            do {
                if let value = try detail.unpack(type) { return value }
            } catch {
                continue
            }
        }
        return nil
    }
}
