// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import LatchAccounts
import SwiftUI

extension AccountProfile {
    fileprivate static let preview = AccountProfile(id: "1", email: "ada@example.com")
}

#Preview("SignIn") {
    SignInView(SignInModel(SignInScreen()) { _ in .signedIn })
}

#Preview("Registration") {
    RegistrationView(RegistrationModel(RegistrationScreen()) { _ in .signedUp(email: "ada@example.com") })
}

#Preview("ChangePassword") {
    ChangePasswordView(ChangePasswordModel(ChangePasswordScreen()) { _ in throw ScreenFailure(.offline) })
}

#Preview("SecondFactor") {
    SecondFactorView(SecondFactorModel(SecondFactorScreen()) { _ in .confirmed })
}

#Preview("StepUp") {
    StepUpView(StepUpModel(StepUpScreen(methods: .init(hasPasskey: true))) { _ in .authenticated })
}

#Preview("Passkey") {
    PasskeyView(PasskeyModel(PasskeyScreen(account: "ada@example.com")) { _ in .created })
}

#Preview("Passkeys") {
    PasskeysView(PasskeysModel(PasskeysScreen()) { _ in .loaded([]) })
}

#Preview("Unlock") {
    UnlockView(UnlockModel(UnlockScreen(app: "Notes")) { _ in .authenticated })
}

#Preview("Profile") {
    ProfileView(ProfileModel(ProfileScreen(profile: .preview)) { _ in .signedOut })
}

#Preview("EditProfile") {
    EditProfileView(EditProfileModel(EditProfileScreen(profile: .preview)) { _ in throw ScreenFailure(.offline) })
}

#Preview("Devices") {
    DevicesView(DevicesModel(DevicesScreen()) { _ in .loaded([]) })
}

#Preview("AccountSwitcher") {
    AccountSwitcherView(AccountSwitcherModel(AccountSwitcherScreen()) { _ in .loaded([], currentID: nil) })
}

#Preview("Consent") {
    ConsentView(ConsentModel(ConsentScreen(client: "Notes", items: [])) { _ in .decided })
}

#Preview("User") {
    UserView(UserModel(UserScreen(.preview)) { _ in throw ScreenFailure(.forbidden) })
}

#Preview("UserList") {
    UserListView(UserListModel(UserListScreen()) { _ in throw ScreenFailure(.forbidden) })
}
#endif
