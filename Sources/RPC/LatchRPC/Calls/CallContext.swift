// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization
public import LatchHTTP

/// What a server's method knows of a call beside its message, and what it says beside its answer.
///
/// ```swift
/// context.answerTrailers.append("12", for: "x-cost")
/// ```
public struct CallContext: Sendable {
    /// The method's path: `/service/name`.
    public let path: String
    /// The fields of the request.
    public let metadata: HTTPFields
    /// Until when the caller waits; nil where it does not say.
    public let deadline: Deadline?
    /// What travels with the request inside the process, such as who asks, left there by an interceptor.
    public let http: HTTPContext
    private let held: Held

    /// The context is a value, and what a method says through any copy of it counts.
    private final class Held: Sendable {
        let answer = Mutex(Answer())
    }

    private struct Answer {
        var metadata = HTTPFields()
        var trailers = HTTPFields()
    }

    /// A context of a call, also for a test that calls a method by itself.
    public init(path: String, metadata: HTTPFields = [:], deadline: Deadline? = nil, http: HTTPContext = HTTPContext())
    {
        self.path = path
        self.metadata = metadata
        self.deadline = deadline
        self.http = http
        held = Held()
    }

    /// The fields before the answer; what a stream adds after it was returned comes too late.
    public var answerMetadata: HTTPFields {
        get { held.answer.withLock { $0.metadata } }
        nonmutating set { held.answer.withLock { $0.metadata = newValue } }
    }

    /// The fields after the answer.
    public var answerTrailers: HTTPFields {
        get { held.answer.withLock { $0.trailers } }
        nonmutating set { held.answer.withLock { $0.trailers = newValue } }
    }
}
