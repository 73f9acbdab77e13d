// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Makes it a GET.
public let getRequest = method(.get)

/// Says that the content is JSON.
public let jsonContentRequest = header(key: "Content-Type", value: "application/json; charset=utf-8")

/// Says that JSON is welcome.
public let acceptRequest = header(key: "Accept", value: "application/json; charset=utf-8")

/// Says that the content is JSON, and that JSON is welcome.
@RequestBuilder public var jsonRequest: RequestMiddleware {
    jsonContentRequest
    acceptRequest
}

/// Makes it a POST of JSON.
@RequestBuilder public var postRequest: RequestMiddleware {
    method(.post)
    jsonRequest
}

/// Makes it a PUT of JSON.
@RequestBuilder public var putRequest: RequestMiddleware {
    method(.put)
    jsonRequest
}

/// Makes it a PATCH of JSON.
@RequestBuilder public var patchRequest: RequestMiddleware {
    method(.patch)
    jsonRequest
}

/// Makes it a DELETE of JSON.
@RequestBuilder public var deleteRequest: RequestMiddleware {
    method(.delete)
    jsonRequest
}

/// Makes it a POST of a value in JSON.
@RequestBuilder
public func post(_ payload: some Encodable & Sendable, encoder: JSONEncoder = JSONEncoder()) -> RequestMiddleware {
    postRequest
    body(payload, encoder: encoder)
}

/// Makes it a POST of bytes.
@RequestBuilder
public func post(data: Data) -> RequestMiddleware {
    postRequest
    body(data: data)
}

/// Makes it a PUT of a value in JSON.
@RequestBuilder
public func put(_ payload: some Encodable & Sendable, encoder: JSONEncoder = JSONEncoder()) -> RequestMiddleware {
    putRequest
    body(payload, encoder: encoder)
}

/// Makes it a PUT of bytes.
@RequestBuilder
public func put(data: Data) -> RequestMiddleware {
    putRequest
    body(data: data)
}

/// Makes it a PATCH of a value in JSON.
@RequestBuilder
public func patch(_ payload: some Encodable & Sendable, encoder: JSONEncoder = JSONEncoder()) -> RequestMiddleware {
    patchRequest
    body(payload, encoder: encoder)
}

/// Makes it a PATCH of bytes.
@RequestBuilder
public func patch(data: Data) -> RequestMiddleware {
    patchRequest
    body(data: data)
}

/// Makes it a DELETE of a value in JSON.
@RequestBuilder
public func delete(_ payload: some Encodable & Sendable, encoder: JSONEncoder = JSONEncoder()) -> RequestMiddleware {
    deleteRequest
    body(payload, encoder: encoder)
}

/// Makes it a DELETE of bytes.
@RequestBuilder
public func delete(data: Data) -> RequestMiddleware {
    deleteRequest
    body(data: data)
}
