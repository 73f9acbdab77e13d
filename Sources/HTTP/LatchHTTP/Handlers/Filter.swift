// SPDX-License-Identifier: Apache-2.0

/// An interceptor that waits for nothing itself: it changes a request before the rest of the chain, and its outcome after
/// it.
///
/// A chain of filters around an ``ImmediateHandler`` is immediate too, so a server needs no task for such a request.
@usableFromInline
package protocol Filter: Interceptor {
    /// The data that is kept from a request for its outcome.
    associatedtype Note: Sendable

    /// Changes a request.
    func filter(_ request: inout HTTPRequest) -> Filtering<Note>

    /// Changes the outcome of a request that was passed on; by default not at all.
    func complete(_ outcome: inout Outcome, _ note: consuming Note)

    /// Returns the function that begins to respond with an inner handler.
    ///
    /// It is a requirement, so that each conforming type has a separate one, compiled for its note.
    func beginning(next: NextHandler) -> NextHandler.Beginning
}

/// The decision of a filter about a request.
@usableFromInline
package enum Filtering<Note: Sendable>: Sendable {
    /// The rest of the chain is not called; this is the filter's response.
    case respond(HTTPResponse)
    /// The rest of the chain is called, and the filter gets its outcome with this note.
    case proceed(Note)
}

extension Filter where Note == Void {
    package func complete(_ outcome: inout Outcome, _ note: consuming Void) {}
}

extension Filter {
    package func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        try await response(to: request, next: next)
    }

    /// Returns the response, or waits for it.
    package func response(to request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        var request = request
        return try await begin(&request, next: NextHandler(next)).value()
    }

    /// Begins to respond, as the inner handler does.
    @inlinable
    package func begin(_ request: inout HTTPRequest, next: NextHandler) -> EventualResponse {
        switch filter(&request) {
        case .respond(let response): return .ready(Outcome(response))
        case .proceed(let note):
            switch next.begin(&request) {
            case .ready(var outcome):
                complete(&outcome, note)
                return .ready(outcome)
            case .pending(let pending):
                return .pending {
                    var outcome = await pending()
                    complete(&outcome, note)
                    return outcome
                }
            }
        }
    }

    @inlinable
    package func beginning(next: NextHandler) -> NextHandler.Beginning { { begin(&$0, next: next) } }
}

/// A filter with its inner handler.
struct Filtered: ImmediateHandler, ContentPolicyHandler {
    let beginning: NextHandler.Beginning
    let contentPolicy: ContentPolicy

    init(_ filter: some Filter, next: any Handler) {
        beginning = filter.beginning(next: NextHandler(next))
        contentPolicy = next.contentPolicy
    }

    func begin(_ request: inout HTTPRequest) -> EventualResponse { beginning(&request) }
}
