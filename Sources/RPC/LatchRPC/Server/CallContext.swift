// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchHTTP

/// The context of a call on the server: its request metadata and deadline, and the metadata of its response.
///
/// ```swift
/// context.responseTrailers.append("12", for: "x-cost")
/// ```
public struct CallContext: Sendable {
    /// The path of the method: `/service/name`.
    public let path: String
    /// The request metadata.
    public let metadata: HTTPFields
    /// The caller's deadline; nil if it sent none.
    public let deadline: Deadline?
    /// Values that interceptors and the service's admission attached to the request, such as the authenticated user.
    public var http: HTTPContext
    /// The limits for the call's messages; an ``RPCService/Admission`` can lower them.
    public var limits = RPCLimits.standard
    /// The fields of the response, which all copies of the context share.
    private let response = StreamFields()
    /// The idempotency level of the method.
    package internal(set) var idempotency = RPCIdempotency.unknown

    /// Creates a context, also for tests.
    public init(path: String, metadata: HTTPFields = [:], deadline: Deadline? = nil, http: HTTPContext = HTTPContext())
    {
        self.path = path
        self.metadata = metadata
        self.deadline = deadline
        self.http = http
    }

    /// The response metadata; changes after a stream was returned have no effect.
    public var responseMetadata: HTTPFields {
        get { response.metadata }
        nonmutating set { response.metadata = newValue }
    }

    /// The fields that the server sends after the last message.
    public var responseTrailers: HTTPFields {
        get { response.trailers }
        nonmutating set { response.trailers = newValue }
    }
}
