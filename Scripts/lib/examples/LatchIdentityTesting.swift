// SPDX-License-Identifier: Apache-2.0
import LatchAccounts

let auth: AuthClient = placeholder()
