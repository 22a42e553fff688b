import { useForm } from '@mantine/form'
import type { BrandFacts } from '../../../portal/api/schemas/brand.ts'
import { Form, type FormProps } from '../../components/form.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { newPasswordRules, PasswordLength } from '../../components/password-length.tsx'
import { t } from '../../words.ts'
import { TermsCheckbox } from './terms-checkbox.tsx'

export interface NewPasswordFormProps {
  readonly mutation: FormProps<{ password: string }>['mutation']
  /** The terms to accept with it; null: none. */
  readonly terms: BrandFacts['terms']
  readonly onSubmit: (accepted: Accepted) => void
}

interface Accepted {
  readonly password: string
  /** The version of the terms. */
  readonly acceptedTerms?: string
}

/** Asks for a new password, rules above the field and the error below it, and whether the bank's terms are accepted. */
export function NewPasswordForm({ mutation, terms, onSubmit }: NewPasswordFormProps) {
  const form = useForm({
    // The accepted version.
    initialValues: { password: '', acceptedTerms: '' },
    validate: {
      acceptedTerms: (version) => (terms !== null && version === '' ? t('terms.mustAccept') : null),
    },
  })
  return (
    <Form
      form={form}
      mutation={mutation}
      onSubmit={({ password, acceptedTerms }) =>
        onSubmit(terms === null ? { password } : { password, acceptedTerms })
      }
      action={t('account.setPassword')}
    >
      {/* Only the server knows whose mail link this is; password managers look for this field. */}
      <input type="email" autoComplete="username" value="" readOnly hidden />
      <PasswordField
        label={t('account.newPassword')}
        description={newPasswordRules()}
        {...form.getInputProps('password')}
        autoComplete="new-password"
        maxLength={256}
      />
      {form.errors['password'] === undefined ? (
        <PasswordLength password={form.values.password} />
      ) : null}
      {terms === null ? null : (
        <TermsCheckbox
          terms={terms}
          accepted={form.values.acceptedTerms}
          onChange={(version) => form.setFieldValue('acceptedTerms', version)}
          error={form.errors['acceptedTerms']}
        />
      )}
    </Form>
  )
}
