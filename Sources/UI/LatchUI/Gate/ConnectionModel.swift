// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP
import LatchTexts
public import Observation

/// The state of the device's connection, for a banner above the content.
///
/// A screen does not check it before a request: only the request itself shows whether a server can be reached.
///
/// ```swift
/// let connection = ConnectionModel()
/// let client = AuthClient(baseURL: url, store: store, interceptors: [connection.interceptor])
/// ```
@MainActor @Observable
public final class ConnectionModel {
    /// Whether the device is known to be offline.
    public private(set) var isOffline = false

    /// A function that is called when the connection is back.
    @ObservationIgnored var onReconnection: @MainActor () -> Void = {}

    @ObservationIgnored private var follower: Task<Void, Never>?

    /// Creates a state that the requests through ``interceptor`` update.
    public init() {}

    /// Creates a state that follows a sequence, whose elements say whether the device is connected.
    public init<Changes: AsyncSequence<Bool, Never> & Sendable>(_ changes: Changes) {
        follower = Task { [weak self] in
            for await isConnected in changes { self?.update(isOffline: !isConnected) }
        }
    }

    deinit { follower?.cancel() }

    /// An interceptor that updates the state: offline after a request without a network, until a request gets a
    /// response.
    public nonisolated var interceptor: some Interceptor {
        ClosureInterceptor { [weak self] request, next in
            do {
                let response = try await next.respond(to: request)
                await self?.update(isOffline: false)
                return response
            } catch {
                if ScreenFailure(error).reason == .offline { await self?.update(isOffline: true) }
                throw error
            }
        }
    }

    private func update(isOffline: Bool) {
        guard self.isOffline != isOffline else { return }
        self.isOffline = isOffline
        if !isOffline { onReconnection() }
    }

    /// The controls of the banner; none while there is a connection.
    public var controls: [Control] {
        isOffline ? [.notice(.warning, Phrase("connection.offline"))] : []
    }
}
