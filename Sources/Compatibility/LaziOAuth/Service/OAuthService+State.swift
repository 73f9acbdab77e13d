// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore

/// Whether somebody is signed in, with what a screen needs to know besides.
public enum AuthState: Sendable, Equatable {
    /// Nobody has looked yet.
    case unknown
    /// Somebody is being looked for, or what was found is being renewed.
    case restoring
    /// Somebody is signed in.
    case authenticated
    /// Somebody is signed in, and the access token could not be renewed yet: offline, for instance.
    case expired
    /// Nobody is signed in.
    case signedOut
    /// It cannot be told now, since the keychain is locked for instance; nobody is signed out by that.
    case unavailable
}

extension OAuthService {
    /// Whether somebody is signed in.
    public var authState: AuthState {
        switch state {
        case .unknown: .unknown
        case .restoring: .restoring
        case .signedIn: isRenewingStored ? .restoring : .authenticated
        case .expired: isRenewingStored ? .restoring : .expired
        case .signedOut: .signedOut
        case .unavailable: .unavailable
        }
    }

    /// Whether somebody is signed in; also while an expired token waits to be renewed, so that no login screen shows up.
    public var isAuthenticated: Bool { state.isSignedIn }

    /// Who is signed in; nil where nobody is, or where the server does not say who it is.
    public var currentUser: AuthUser? {
        guard let tokens = state.credential else { return nil }
        let user = AuthUser(tokens, username: nil)
        guard let loginName, user?.userId == loginName.userID else { return user }
        return AuthUser(tokens, username: loginName.name)
    }

    /// What the signed-in person may do; empty where nobody is.
    public var grantedScopes: GrantedScopes { GrantedScopes(state.credential?.grantedScopes ?? []) }

    /// The access token, renewed where less than five minutes are left; nil where there is none to be had.
    ///
    /// While the old token is accepted, it is what comes when the network is down. `lastError` tells why nothing came.
    public func getValidToken() async -> String? {
        do { return try await validToken() } catch { return nil }
    }

    /// The same with the reason where there is none.
    ///
    /// - Throws: `OAuthError`, or an `AuthError` of the session or its store.
    public func validToken() async throws -> String {
        await prepared()
        do {
            let access = try await session.credential().access
            lastError = nil
            return access
        } catch {
            throw noted(error)
        }
    }

    /// Renews now, due or not.
    ///
    /// - Returns: Whether there is a new token. The session ends only where the server says so: never for want of a
    ///   network.
    @discardableResult
    public func refreshToken() async -> Bool {
        await prepared()
        do {
            let current = try await session.currentCredential()
            _ = try await session.renewed(replacing: current)
            lastError = nil
            return true
        } catch {
            _ = noted(error)
            return false
        }
    }

    /// Reads the store, and renews what has expired there.
    func restore() async {
        await prepared()
        do {
            try await session.restore()
        } catch AuthError.storeCorrupt {
            return await forgetDamaged()
        } catch {
            _ = noted(error)
            return
        }
        guard case .expired = session.currentState else { return }
        isRenewingStored = true
        _ = await getValidToken()
        isRenewingStored = false
    }

    /// A record that nobody can read is nobody's session; what it was is set aside by the store.
    private func forgetDamaged() async {
        do { try await session.signOut() } catch { _ = noted(error) }
    }

    /// Keeps an error for `lastError`, in the words of this package.
    func noted(_ error: any Error) -> any Error {
        let error = OAuthError.map(error)
        if !(error is CancellationError) { lastError = error }
        return error
    }
}
