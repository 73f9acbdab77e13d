// SPDX-License-Identifier: Apache-2.0

import AxiomArchitecture
import Expectations
import LatchHTTP
import TestTags
import Testing
import UserService

/// A server that answers as a fake does.
private struct FakeServer: UserServiceServer {
    let fake: UserServiceFake

    func register(_ request: RegisterRequest, context: CallContext) async throws -> AuthResponse {
        try await fake.register(request)
    }
    func login(_ request: LoginRequest, context: CallContext) async throws -> AuthResponse {
        try await fake.login(request)
    }
    func logout(_ request: LogoutRequest, context: CallContext) async throws { try await fake.logout(request) }
    func refreshToken(_ request: RefreshTokenRequest, context: CallContext) async throws -> AuthResponse {
        try await fake.refreshToken(request)
    }
    func getProfile(_ request: GetProfileRequest, context: CallContext) async throws -> User {
        try await fake.getProfile(request)
    }
    func updateProfile(_ request: UpdateProfileRequest, context: CallContext) async throws -> User {
        try await fake.updateProfile(request)
    }
    func changePassword(_ request: ChangePasswordRequest, context: CallContext) async throws {
        try await fake.changePassword(request)
    }
    func getUsers(_ request: GetUsersRequest, context: CallContext) async throws -> GetUsersResponse {
        try await fake.getUsers(request)
    }
    func deleteUser(_ request: DeleteUserRequest, context: CallContext) async throws {
        try await fake.deleteUser(request)
    }
    func requestPasswordReset(_ request: PasswordResetRequest, context: CallContext) async throws {
        try await fake.requestPasswordReset(request)
    }
    func resetPassword(_ request: ResetPasswordRequest, context: CallContext) async throws {
        try await fake.resetPassword(request)
    }
    func verifyEmail(_ request: VerifyEmailRequest, context: CallContext) async throws -> User {
        try await fake.verifyEmail(request)
    }
    func resendVerification(_ request: ResendVerificationRequest, context: CallContext) async throws {
        try await fake.resendVerification(request)
    }
    func setupTwoFactor(_ request: SetupTwoFactorRequest, context: CallContext) async throws -> SetupTwoFactorResponse {
        try await fake.setupTwoFactor(request)
    }
    func verifyTwoFactor(_ request: VerifyTwoFactorRequest, context: CallContext) async throws -> AuthResponse {
        try await fake.verifyTwoFactor(request)
    }
    func getActiveDevices(_ request: GetActiveDevicesRequest, context: CallContext) async throws
        -> GetActiveDevicesResponse
    { try await fake.getActiveDevices(request) }
    func revokeDevice(_ request: RevokeDeviceRequest, context: CallContext) async throws {
        try await fake.revokeDevice(request)
    }
    func setUserRole(_ request: SetUserRoleRequest, context: CallContext) async throws -> User {
        try await fake.setUserRole(request)
    }
    func setUserStatus(_ request: SetUserStatusRequest, context: CallContext) async throws -> User {
        try await fake.setUserStatus(request)
    }
    func endUserSessions(
        _ request: EndUserSessionsRequest, context: CallContext
    ) async throws -> EndUserSessionsResponse {
        try await fake.endUserSessions(request)
    }
    func removeTwoFactor(_ request: RemoveTwoFactorRequest, context: CallContext) async throws {
        try await fake.removeTwoFactor(request)
    }
    func regenerateRecoveryCodes(
        _ request: RegenerateRecoveryCodesRequest, context: CallContext
    ) async throws -> RegenerateRecoveryCodesResponse {
        try await fake.regenerateRecoveryCodes(request)
    }
}

@Suite struct OverTheWireTests {
    private func client(_ fake: UserServiceFake, _ wire: RPCProtocol) throws -> UserManagerClient {
        let service = RPCService(FakeServer(fake: fake).rpcMethods)
        let channel = try RPCChannel("https://users.example", through: service, using: wire)
        return UserManagerClient(service: UserServiceStub(channel), reducer: SessionReducer())
    }

    @Test(.tags(.successfulLogin, .failedLogin), arguments: [RPCProtocol.connect, .grpcWeb])
    func `The generated client and the generated server interoperate`(wire: RPCProtocol) async throws {
        let client = try client(FakeUserService.service(), wire)
        let thrown = await #expect(throws: AxiomError.self) {
            try await client.process(.login(LoginRequest(email: "test@example.com", password: "no")))
        }
        expectEqual(thrown, .actionError(code: "unauthenticated", message: "wrong password"))
        try await client.process(.login(LoginRequest(email: "test@example.com", password: "validpassword")))
        try await client.process(.getActiveDevices(GetActiveDevicesRequest()))
        let state = await client.getCurrentState()
        expectEqual(state.users.first, FakeUserService.user)
        expectEqual(state.sessions.first, FakeUserService.session())
        expectEqual(state.devices.map(\.id), ["d1", "d2"])
        expectNil(state.error)
        try await client.process(.logout(LogoutRequest(sessionToken: "access-1")))
        #expect(await client.getCurrentState().sessions.isEmpty)
    }

    @Test
    func `The generated client and server refuse what the rules of a method refuse, before it is called`() async throws
    {
        let fake = FakeUserService.service()
        let service = RPCService(FakeServer(fake: fake).rpcMethods)
        let stub = UserServiceStub(try RPCChannel("https://users.example", through: service))
        let error = await #expect(throws: RPCError.self) {
            _ = try await stub.login(LoginRequest(email: "", password: ""))
        }
        #expect(error?.status == .invalidArgument && error?.violations.map(\.path) == ["email", "password"])
        expectEqual(error?.message, "email must not be empty; password must not be empty")
        #expect(fake.loginRequests.isEmpty)
        let unruled = RPCService(FakeServer(fake: fake).rpcMethods.map(\.withoutRules))
        _ = try? await UserServiceStub(RPCChannel("https://users.example", through: unruled)).login(LoginRequest())
        expectEqual(fake.loginRequests.count, 1)
    }

    @Test func `The generated client and server report with its message a method that the server lacks`() async throws {
        let client = try client(UserServiceFake(), .connect)
        let thrown = await #expect(throws: AxiomError.self) {
            try await client.process(.setupTwoFactor(SetupTwoFactorRequest()))
        }
        guard case .actionError("unimplemented", _)? = thrown else {
            Issue.record("\(String(describing: thrown))")
            return
        }
    }
}
