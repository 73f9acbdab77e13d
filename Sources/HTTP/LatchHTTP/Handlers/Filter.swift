// SPDX-License-Identifier: Apache-2.0

/// An interceptor that changes a request before the rest of the chain, and its outcome after it, without waiting
/// itself.
@usableFromInline
package protocol Filter: ImmediateInterceptor {
    /// The data that is kept from a request for its outcome.
    associatedtype Note: Sendable

    /// Changes a request.
    func filter(_ request: inout HTTPRequest) -> Filtering<Note>

    /// Changes the outcome of a request that was passed on.
    func complete(_ outcome: inout Outcome, _ note: consuming Note)
}

/// The decision of a filter about a request.
@usableFromInline
package enum Filtering<Note: Sendable>: Sendable {
    /// The rest of the chain is not called; this is the filter's response.
    case respond(HTTPResponse)
    /// The rest of the chain is called, and the filter gets its outcome with this note.
    case proceed(Note)
}

extension Filter {
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
}
