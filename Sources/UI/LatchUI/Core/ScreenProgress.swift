// SPDX-License-Identifier: Apache-2.0

public import LatchTexts

// The announcements of the requests that users wait for most; all others announce "One moment…".

extension SignInScreen {
    /// Returns "Signing in…", or a general announcement for the ways to sign in.
    public func progress(of request: Request) -> Phrase {
        Phrase(request == .loadWays ? "progress" : "progress.signIn")
    }
}

extension RegistrationScreen {
    /// Returns "Creating your account…".
    public func progress(of request: Request) -> Phrase { Phrase("progress.registration") }
}

extension PasswordResetScreen {
    /// Returns "Sending the email…" or "Setting the password…".
    public func progress(of request: Request) -> Phrase {
        switch request {
        case .send: Phrase("progress.mail")
        case .reset: Phrase("progress.password")
        }
    }
}

extension ChangePasswordScreen {
    /// Returns "Setting the password…".
    public func progress(of request: Request) -> Phrase { Phrase("progress.password") }
}

extension UserMenuScreen {
    /// Returns "Signing out…".
    public func progress(of request: Request) -> Phrase { Phrase("progress.signOut") }
}

extension ProfileScreen {
    /// Returns "Signing out…" for a sign-out; otherwise a general announcement.
    public func progress(of request: Request) -> Phrase {
        switch request {
        case .signOut: Phrase("progress.signOut")
        case .load: Phrase("progress")
        case .delete: Phrase("progress.waiting")
        }
    }
}
