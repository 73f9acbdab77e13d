// SPDX-License-Identifier: Apache-2.0

import AxiomArchitecture
import Foundation
import UserService

/// A fake user service with one user and one password.
enum FakeUserService {
    static let user = User(id: "u1", email: "test@example.com", displayName: "Test")

    static func session(_ number: Int = 1) -> UserSession {
        UserSession(
            id: "s\(number)", userId: "u1", accessToken: "access-\(number)", refreshToken: "refresh-\(number)",
            expiresAt: Date(timeIntervalSince1970: 2_000_000_000))
    }

    static func service() -> UserServiceFake {
        let service = UserServiceFake()
        service.onRegister = { request in
            AuthResponse(user: User(id: "u2", email: request.email), session: session(2))
        }
        service.onLogin = { request in
            guard request.password == "validpassword" else { throw RPCError(.unauthenticated, "wrong password") }
            return AuthResponse(user: user, session: session())
        }
        service.onRefreshToken = { request in
            guard request.refreshToken == "refresh-1" else { throw RPCError(.unauthenticated, "spent") }
            return AuthResponse(user: user, session: session(2))
        }
        service.onLogout = { _ in }
        service.onGetProfile = { _ in user }
        service.onGetActiveDevices = { _ in
            GetActiveDevicesResponse(devices: [UserDevice(id: "d1"), UserDevice(id: "d2")])
        }
        service.onRevokeDevice = { _ in }
        return service
    }
}
