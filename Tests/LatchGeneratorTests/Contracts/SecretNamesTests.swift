// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LatchGenerator

@Suite struct SecretNamesTests {
    @Test(arguments: [
        "password", "current_password", "newPassword", "access_token", "refresh_token", "captcha_token", "token",
        "api_key",
        "apiKey", "client_secret", "private_key", "totp_code", "otp", "recovery_codes", "session_token",
        "authorization",
        "webhook_secret", "reset_token", "X_API_KEY",
    ])
    func `Secret names are recognized`(name: String) {
        #expect(SecretNames.isSecret(name: name))
    }

    @Test(arguments: [
        "name", "email", "token_id", "tokenizer", "password_hint_shown", "page_token", "next_page_token", "code",
        "country_code", "secretary", "key", "primary_key", "monkey", "compassword", "public_key",
    ])
    func `Secret names exclude similar names`(name: String) {
        #expect(!SecretNames.isSecret(name: name))
    }
}
