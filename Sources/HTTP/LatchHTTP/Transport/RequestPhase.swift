// SPDX-License-Identifier: Apache-2.0

/// The part of a request during which it failed.
package enum RequestPhase: Sendable {
    /// The request waited for one of the connections to its host.
    case waiting
    case resolving, resolvingProxy
    case connecting, connectingToProxy
    /// The proxy had not yet connected to the host.
    case tunneling
    /// The TLS handshake.
    case securing
    case sending, awaitingResponse, receiving

    /// Whether there was a connection for the request, so that some of it may have been sent.
    var isConnected: Bool {
        switch self {
        case .sending, .awaitingResponse, .receiving: true
        default: false
        }
    }

    /// The end of a sentence about the failure.
    var words: String {
        switch self {
        case .waiting: "while waiting for a connection"
        case .resolving: "while looking up its name"
        case .resolvingProxy: "while looking up the proxy"
        case .connecting: "while connecting"
        case .connectingToProxy: "while connecting to the proxy"
        case .tunneling: "while the proxy connected to it"
        case .securing: "during the TLS handshake"
        case .sending: "while sending the request"
        case .awaitingResponse: "while waiting for the response"
        case .receiving: "while receiving the response"
        }
    }
}
