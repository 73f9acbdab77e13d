// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchAccounts
import SwiftUI

extension AccountProfile {
    fileprivate static let preview = AccountProfile(id: "1", email: "ada@example.com")
}

// Not `#Preview`: the plugin of that macro is a part of Xcode, and the command line tools of a Mac build this module,
// too.
struct ScreenPreviews: PreviewProvider {
    static var previews: some View {
        SignInView(SignInModel(SignInScreen()) { _ in .signedIn })
            .previewDisplayName("SignIn")
        RegistrationView(RegistrationModel(RegistrationScreen()) { _ in .signedUp(email: "ada@example.com") })
            .previewDisplayName("Registration")
        ChangePasswordView(ChangePasswordModel(ChangePasswordScreen()) { _ in throw ScreenFailure(.offline) })
            .previewDisplayName("ChangePassword")
        SecondFactorView(SecondFactorModel(SecondFactorScreen()) { _ in .confirmed })
            .previewDisplayName("SecondFactor")
        StepUpView(StepUpModel(StepUpScreen(methods: .init(hasPasskey: true))) { _ in .authenticated })
            .previewDisplayName("StepUp")
        PasskeyView(PasskeyModel(PasskeyScreen(account: "ada@example.com")) { _ in .created })
            .previewDisplayName("Passkey")
        PasskeysView(PasskeysModel(PasskeysScreen()) { _ in .loaded([]) })
            .previewDisplayName("Passkeys")
        UnlockView(UnlockModel(UnlockScreen(app: "Notes")) { _ in .authenticated })
            .previewDisplayName("Unlock")
        ProfileView(ProfileModel(ProfileScreen(profile: .preview)) { _ in .signedOut })
            .previewDisplayName("Profile")
        EditProfileView(EditProfileModel(EditProfileScreen(profile: .preview)) { _ in throw ScreenFailure(.offline) })
            .previewDisplayName("EditProfile")
        DevicesView(DevicesModel(DevicesScreen()) { _ in .loaded([]) })
            .previewDisplayName("Devices")
        AccountSwitcherView(AccountSwitcherModel(AccountSwitcherScreen()) { _ in .loaded([], currentID: nil) })
            .previewDisplayName("AccountSwitcher")
        ConsentView(ConsentModel(ConsentScreen(client: "Notes", items: [])) { _ in .decided })
            .previewDisplayName("Consent")
        UserView(UserModel(UserScreen(.preview)) { _ in throw ScreenFailure(.forbidden) })
            .previewDisplayName("User")
        UserListView(UserListModel(UserListScreen()) { _ in throw ScreenFailure(.forbidden) })
            .previewDisplayName("UserList")
        EmailVerificationView(EmailVerificationModel(EmailVerificationScreen(email: "ada@example.com")) { _ in .sent })
            .previewDisplayName("EmailVerification")
        PasswordResetView(PasswordResetModel(PasswordResetScreen()) { _ in .reset })
            .previewDisplayName("PasswordReset")
        RoleBadge(role: "admin")
            .previewDisplayName("RoleBadge")
        ForEach(Control.NoticeStyle.allCases, id: \.self) { NoticeBanner("A notice", style: $0) }
            .previewDisplayName("Notices")
    }
}
#endif
