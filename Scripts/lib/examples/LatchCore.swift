// SPDX-License-Identifier: Apache-2.0
import LatchAuth

let session: Session<Tokens> = placeholder()
